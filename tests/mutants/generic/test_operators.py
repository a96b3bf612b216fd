"""What generic mutants have in place of what stands there."""

import numpy as np
import pytest

from tests.mutants.generic.operators import mutated


def all_mutated(text, operator):
    """Return what an operator makes of a text, at each of its places."""
    found = []
    while True:
        try:
            found.append(mutated(text, operator, len(found)))
        except IndexError:
            return found


@pytest.mark.parametrize(
    ("asked", "of_first"),
    [
        ("[each for each in (5, 6)]", [5]),
        ("(numbers == numbers[0]).all()", True),
        ("((numbers > 0)).any()", False),
        ("max(each for each in (*numbers,)).all()", False),
        ("all(numbers == 0)", True),
        ("any(map(bool, numbers))", False),
        ("any((numbers > 0))", False),
        ("np.any(numbers > 0)", False),
        ("list((square > 0).any(axis=0))", [False, True]),
        ("list((square > 1).any(axis=1))", [False, False]),
        ("list(np.any(square > 1, axis=1))", [False, False]),
    ],
)
def test_the_first_alone_is_looked_at_and_arrays_stay_arrays(asked, of_first):
    text = mutated(f"found = {asked}\n", "FirstAlone", -1)
    found = {"np": np, "numbers": np.arange(2), "square": np.array([[0, 1], [1, 2]])}
    exec(text, found)
    assert found["found"] == of_first


def test_along_an_axis_all_but_the_last_are_left():
    text = mutated("found = cube.all(axis=2)\n", "AllButLast", 0)
    assert text == "found = (cube)[:, :, :-1].all(axis=2)\n"


def test_what_is_mapped_is_left_out_before_it_may_raise():
    text = mutated("found = all(map(int, texts))\n", "FirstTwenty", 0)
    assert text == "found = all(map(int, [*(texts)][:20]))\n"


def test_a_comprehension_that_is_asked_is_one_place():
    with pytest.raises(IndexError):
        mutated("found = all(each for each in several)\n", "FirstAlone", 1)


def test_kernels_go_through_a_list_that_numba_knows():
    text = "@kernel\ndef total(rows):\n    for row in enumerate(rows):\n        return row\n"
    assert "for row in list((enumerate(rows)))[:-1]:" in mutated(text, "AllButLast", 0)


def test_all_that_a_store_keeps_is_no_question():
    text = "async def kept(store):\n    return await store.all()\n"
    with pytest.raises(IndexError):
        mutated(text, "FirstAlone", 0)


def test_each_named_argument_is_left_out_alone():
    text = "check(people, epsilon=1, at=(2, 3), **more)\n"
    assert all_mutated(text, "DropKeyword") == [
        "check(people, at=(2, 3), **more)\n",
        "check(people, epsilon=1, **more)\n",
    ]


def test_names_beside_one_another_are_handed_on_in_each_others_place():
    text = "spend(book.first,  second, 1, rows[0], third)\n"
    assert all_mutated(text, "SwapArguments") == [
        "spend(second, book.first, 1, rows[0], third)\n",
        "spend(book.first,  second, 1, third, rows[0])\n",
    ]
    assert all_mutated("most = np.maximum(first, second)\n", "SwapArguments") == []


STEPS = """
def told(report, known):
    require(report, "some report")
    require(known, "somebody known")
    found = drawn(known)
    book(found)

    # shown after it is booked
    show(found)
    return found
"""


def test_a_check_is_moved_and_a_step_taken_before_the_one_before_it():
    booked = STEPS.replace(
        "    book(found)\n\n    # shown after it is booked\n    show(found)\n",
        "    show(found)\n\n    # shown after it is booked\n    book(found)\n",
    )
    late = STEPS.replace(
        '    require(known, "somebody known")\n    found = drawn(known)\n',
        '    found = drawn(known)\n    require(known, "somebody known")\n',
    )
    assert all_mutated(STEPS, "SwapSteps") == [late, booked]


def test_what_texts_quote_stays():
    assert all_mutated("f'{found(first, second, by=1)}'\n", "SwapArguments") == []


def test_each_branch_is_taken_always():
    text = "told = own if own else given\nif told:\n    show(told)\n"
    assert all_mutated(text, "OneBranch") == [
        text.replace("if told", "if True"),
        text.replace("if told", "if False"),
        text.replace("if own", "if True"),
        text.replace("if own", "if False"),
    ]


def test_each_part_of_a_condition_is_left_out_alone():
    assert all_mutated("is_kept = first and not second and third\n", "DropOperand") == [
        "is_kept = (not second and third)\n",
        "is_kept = (first and third)\n",
        "is_kept = (first and (not second))\n",
    ]
    text = "kept = [each for each in several if each.is_new if each or own]\n"
    assert all_mutated(text, "DropOperand") == [
        text.replace("if each.is_new", "if True"),
        text.replace("if each or own", "if True"),
        text.replace("each or own", "(own)"),
        text.replace("each or own", "(each)"),
    ]


KEPT = """
def kept(own: Own, price: float | None, is_new: bool) -> Own:
    if own.gone:
        return own
    book(own)
    if is_new:
        count += 1
    return replace(own, price=price)
"""


def test_each_step_is_taken_only_where_something_holds_or_does_not():
    asked = ["is_new", "not (is_new)", "price is not None", "not (price is not None)"]
    step, copy = "    book(own)\n", "price=price)"
    counted = KEPT.replace("count +=", "if {}: count +=")
    assert all_mutated(KEPT, "OnlyWhere") == [
        *(KEPT.replace(step, f"    if {each}: book(own)\n") for each in asked),
        *(counted.format(each) for each in asked[2:]),
        *(KEPT.replace(copy, f"price=(price if {each} else own.price))") for each in asked),
    ]
