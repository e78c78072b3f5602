"""Tasks: questions, answers, verifiers and the separation of held-out from training prompts."""

from __future__ import annotations

import numpy as np
import pytest

from rlscale.lab.settings import LabError, LabSettings
from rlscale.lab.tasks import PAD, PromptSource, build_task, verify_answers, write_tokens


def _show(task, number):
    problem = task.pose(np.array([number]))
    return write_tokens(problem.prefix[0]), write_tokens(problem.answer[0])


def test_questions_and_answers():
    assert _show(build_task(LabSettings(digits=5)), 31542) == ("31542>", "12345")
    assert _show(build_task(LabSettings(digits=5)), 7) == ("00007>", "00007")
    assert _show(build_task(LabSettings(task="unique", digits=4)), 9339) == ("9339>", "39$__")
    assert _show(build_task(LabSettings(task="unique", digits=4)), 4321) == ("4321>", "1234$")
    assert _show(build_task(LabSettings(task="times")), 22 * 23 + 22) == ("22*22>", "01")  # 484 = 21 * 23 + 1
    assert _show(build_task(LabSettings(task="chain", turns=2)), 321_987) == ("321>", "123987>789")


def test_a_chain_forces_the_next_question_and_asks_for_all_answers():
    problem = build_task(LabSettings(task="chain", turns=3)).pose(np.array([123_456_987]))
    assert problem.written.sum() == 9
    forced = problem.forced[0]
    assert write_tokens(forced[forced >= 0]) == "456>987>"


@pytest.mark.parametrize("task", ["sort", "chain", "unique", "times"])
def test_the_right_answer_passes_and_a_wrong_token_fails(task):
    built = build_task(LabSettings(task=task, turns=2))
    problems = built.pose(np.arange(100, 140))
    completion = np.repeat(problems.answer[:, None], 2, axis=1)
    for row in range(len(problems)):
        place = np.flatnonzero(problems.written[row])[-1]
        completion[row, 1, place] = (completion[row, 1, place] + 1) % 10
    right, share = verify_answers(problems, completion)
    assert right[:, 0].all() and not right[:, 1].any()
    tokens = problems.written.sum(axis=1)
    assert np.allclose(share[:, 1], (tokens - 1) / tokens)


def test_an_answer_that_ends_too_late_is_wrong():
    problems = build_task(LabSettings(task="unique", digits=4)).pose(np.array([9339]))
    late = np.array([[[3, 9, 9, 11, PAD]]])
    right, share = verify_answers(problems, late)
    assert not right[0, 0]
    assert share[0, 0] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "changes", [{}, {"pool": 64}, {"task": "chain", "turns": 1}, {"task": "chain", "turns": 4}]
)
def test_training_never_sees_a_held_out_prompt(changes):
    settings = LabSettings(**changes)
    source = PromptSource(build_task(settings), settings)
    drawn = np.concatenate([source.draw(32) for _ in range(200)])
    assert not np.isin(drawn, source.heldout_ids).any()
    assert len(np.unique(source.heldout_ids)) == len(source.heldout())
    if settings.pool:
        assert len(np.unique(drawn)) == 64
        # each prompt of a pool comes once before any comes again
        assert len(np.unique(drawn[:64])) == 64


def test_same_seed_same_prompts_whatever_the_algorithm():
    a, b = LabSettings(seed=3), LabSettings(seed=3, algorithm="cispo", learning_rate=1e-3)
    first, second = (PromptSource(build_task(s), s) for s in (a, b))
    assert np.array_equal(first.heldout_ids, second.heldout_ids)
    assert np.array_equal(first.draw(32), second.draw(32))


def test_solved_prompts_are_not_drawn_again_until_none_is_left():
    settings = LabSettings(pool=40, prompts=8, drop_solved=0.9)
    source = PromptSource(build_task(settings), settings)
    first = np.unique(np.concatenate([source.draw(8) for _ in range(5)]))
    source.drop(first[:30])
    later = np.concatenate([source.draw(8) for _ in range(10)])
    assert set(later) == set(first[30:])
    source.drop(first)
    for _ in range(3):
        source.draw(8)
    assert set(np.concatenate([source.draw(8) for _ in range(10)])) == set(first)


def test_impossible_settings_are_named():
    with pytest.raises(LabError, match="did you mean 'sort'"):
        build_task(LabSettings(task="sorted"))
    with pytest.raises(LabError, match="75 prompts to train on, and 500"):
        build_task(LabSettings(digits=2, pool=500))
    with pytest.raises(LabError, match="did you mean 'group_size'"):
        LabSettings.from_dict({"groupsize": 8})
    for changes, text in (
        ({"group_size": 1}, "group size 1"),
        ({"prompts": 0}, "must lie in"),
        ({"learning_rate": float("nan")}, "finite"),
        ({"learning_rate": -1.0}, "must lie in"),
        ({"budget": 1.5}, "type int"),
        ({"budget": True}, "type int"),
        ({"algorithm": "grpoo"}, "did you mean"),
        ({"mini_batches": 5}, "equal mini-batches"),
        ({"pool": 8}, "enlarge the pool"),
        ({"drop_solved": 0.9}, "needs a pool"),
        ({"width": 33}, "multiple of heads"),
        ({"algorithm": "dapo", "staleness": 2}, "not supported"),
    ):
        with pytest.raises(LabError, match=text):
            LabSettings(**changes)
