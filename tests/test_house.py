"""The house stays as it was built: small rooms, each of which says what it is."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = ROOT / "src" / "hushrank"
MOST_FILES = 15
NOT_OURS = {"__pycache__", "node_modules", "vendor"}
MADE = {"site/"}
"""What only exists once it was made."""
ROOMS = sorted(CODE.rglob("__init__.py"))


@pytest.mark.parametrize("house", ["src/hushrank", "tests"])
def test_no_folder_has_more_files_than_one_can_look_through(house):
    files = (file for file in (ROOT / house).rglob("*") if file.is_file())
    rooms = Counter(
        file.parent.relative_to(ROOT).as_posix()
        for file in files
        if file.name != "__init__.py" and not NOT_OURS.intersection(file.parts)
    )
    assert len(rooms) > 20
    assert not {room: n for room, n in rooms.items() if n > MOST_FILES}


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.parent.relative_to(CODE).as_posix())
def test_every_room_says_what_it_is_and_where_to_begin(room):
    said = " ".join((ast.get_docstring(ast.parse(room.read_text())) or "").split())
    assert said, "says nothing"
    has_several_files = len(list(room.parent.glob("*.py"))) > 2
    assert not has_several_files or re.search(r"[Bb]egin (reading )?(with|at)\b", said)
    named = re.findall(r"`([\w/*]+\.py)`", said)
    assert [name for name in named if not exists(name, room.parent)] == []


def exists(name: str, room: Path) -> bool:
    """Return whether a room, a folder in it or one around it has files of this name or pattern."""
    around = [room, *room.iterdir(), *room.parents[: len(room.relative_to(ROOT).parts)]]
    return any(any(folder.glob(name)) for folder in around)


def test_the_page_for_contributors_names_what_there_is():
    page = (ROOT / "docs" / "contributing.md").read_text()
    named = {*re.findall(r"`((?:[a-z_]+/)+(?:[a-z_.]+)?)(?:: \w+)?`", page)} - MADE
    assert len(named) > 30
    assert [name for name in named if not any(exists(name, each) for each in (CODE, ROOT))] == []


def test_what_python_calls_speaks_of_no_options():
    """It speaks of arguments, which the command line says as options: `in_options`.

    A whole command may be named, as `hushrank plan --goal`.
    """
    said = {}
    for file, of_file in nodes().items():
        if file.relative_to(CODE).parts[0] in OF_COMMANDS or file.name in OF_COMMANDS:
            continue
        statements = {id(node.value) for node in of_file if isinstance(node, ast.Expr)}
        for node in of_file:
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and id(node) not in statements and OPTION.search(text):
                said[f"{file.relative_to(CODE)}:{node.lineno}"] = text
    assert said == {}


def test_every_file_is_written_by_what_asks_who_may_read_it():
    """By `files.disk.replace_file`, which has no default: experiments are simulations."""
    others = [
        str(file.relative_to(CODE))
        for file in CODE.rglob("*.py")
        if "experiments" not in file.parts
        if re.search(r"\.write_(?:bytes|text)\(", file.read_text())
    ]
    assert others == []


NEAREST = re.compile(r"\b(?:epsilon|delta|nats|loss|settled_budget)\w*(?:'\])?:[^{}\s]*[efg]\}")


def test_no_loss_is_rounded_to_the_nearest_where_it_is_said():
    """`accounting/words.py` rounds up: what was spent is not less than what is said."""
    said = [
        f"{file.relative_to(CODE)}: {found[0]}"
        for file in CODE.rglob("*.py")
        if "experiments" not in file.parts  # their epsilons are whole tenths
        for found in NEAREST.finditer(file.read_text())
    ]
    assert said == []


Function = ast.FunctionDef | ast.AsyncFunctionDef
LIMITING = {"min", "max", "range", "minimum", "maximum", "clip", "islice"}
PROTECT = (
    *("mechanisms", "samplers", "questions", "surveys", "engines", "accounting", "protocols"),
    *("aggregators/private", "publishing", "workflows", "collector/device", "collector/use_cases"),
)
"""Rooms that draw what protects somebody, and those that say or count what it costs."""
UNNAMED = {
    "mechanisms/curator/geometric.py": {3},
    "mechanisms/harmony.py": {31},
    "mechanisms/hash_family.py": {32},
    "mechanisms/unary_encoding.py": {8},
    "samplers/bit_slicing.py": {64},
    "questions/hashed.py": {64},
    "questions/interleaving.py": {62},
    "questions/rank_level.py": {3},
    "surveys/assignment.py": {16},
    "surveys/wire_reports.py": {8, 16, 64},
    "accounting/words.py": {5, 16},
    "protocols/distributions/safari.py": {3},
    "aggregators/private/auto.py": {4},
    "aggregators/private/exponential/p_sample.py": {53, 62},
    "aggregators/private/histogram.py": {1000},
    "aggregators/private/quicksort.py": {63},
    "aggregators/private/sample_size.py": {8},
    "collector/device/words.py": {99},
    "collector/use_cases/answering.py": {4, 200},
    "publishing/cluster_channel/interior_point/iterate.py": {60},
    "publishing/cluster_channel/interior_point/steps.py": {3},
    "publishing/distances/ranked_rows.py": {31},
    "publishing/historical/protected_users.py": {4},
    "publishing/historical/release.py": {700},
    "publishing/item_channel/general/newton.py": {4},
    "publishing/online/rules.py": {63},
    "publishing/online/shards.py": {8},
    "publishing/record_channel/problem.py": {4},
    "workflows/look.py": {4},
    "workflows/plan/advise.py": {1000},
    "workflows/plan/plan.py": {3},
    "workflows/publish/online.py": {8},
}
"""Bits of words and bytes, digits, the fewest items of a protocol, and factors."""


def test_where_something_else_begins_has_a_name():
    """From how many items, people or nats on is what no test goes through: a reader must see it."""
    found: dict[str, set[float]] = {}
    for file, of_file in nodes().items():
        path = file.relative_to(CODE).as_posix()
        functions = [each for each in of_file if isinstance(each, Function)]
        if path.startswith(PROTECT):
            found[path] = {each for node in functions for each in numbers_of_limits(node)}
    assert len(found) > 150
    unnamed = {path: each for path, each in found.items() if each}
    assert unnamed == UNNAMED


def numbers_of_limits(function: Function) -> Iterator[float]:
    """Yield numbers of 3 and more in comparisons, slices, and calls like `min`, in a body."""
    for node in chain.from_iterable(map(ast.walk, function.body)):
        name = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Compare | ast.Slice) or name in LIMITING:
            each = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
            yield from (one for one in each if type(one) in (int, float) and abs(one) >= 3)


NARROW = re.compile(r"(u?int(8|16|32)|float(16|32))|[<>|=]?[iuf][124]")
"""Types that overflow, or round, where there are many people, items, cells or votes."""
NARROW_TYPES = {
    "mechanisms/harmony.py": {"uint32": 2},
    "mechanisms/subset_order.py": {"uint8": 3},
    "mechanisms/unary_encoding.py": {"uint8": 4},
    "samplers/bit_slicing.py": {"uint8": 1},
    "surveys/assignment.py": {"uint16": 1, "uint32": 1},
    "surveys/report_batches.py": {"int32": 1, "uint32": 1},
    "surveys/wire_reports.py": {"uint8": 2, "uint32": 1},
    "publishing/classifiers.py": {"int32": 2},
    "publishing/distances/bit_set.py": {"int32": 4},
    "publishing/distances/kendall.py": {"float32": 2},
    "publishing/distances/pair_counts.py": {"int32": 1},
    "publishing/distances/ranked_rows.py": {"int32": 2},
    "publishing/item_channel/channel.py": {"int32": 4},
    "publishing/item_channel/general/newton.py": {"int32": 1},
    "publishing/item_channel/general/rounding.py": {"int32": 1},
    "publishing/record_channel/candidates.py": {"int32": 1},
    "publishing/record_channel/problem.py": {"int32": 1},
    "workflows/publish/files.py": {"int32": 1},
    "workflows/publish/posterior_file.py": {"int32": 1},
    "workflows/publish/shards.py": {"int32": 1},
    "activities/activity.py": {"int32": 1},
    "activities/activity_files.py": {"int32": 3},
    "activities/attribute.py": {"int16": 4},
    "activities/bins.py": {"int16": 1},
    "activities/log.py": {"int32": 3},
    "activities/planted.py": {"int32": 2, "int16": 1},
    "activities/private_items.py": {"int16": 2},
    "activities/profile_files.py": {"int32": 2, "int16": 1},
    "activities/shelves/places.py": {"int32": 2},
    "activities/shelves/records.py": {"int8": 1},
    "activities/shelves/shelf.py": {"int32": 2},
    "activities/transactions.py": {"int32": 3},
    "aggregators/exact/kemeny.py": {"int8": 1},
    "audit/shipped/devices.py": {"uint8": 1},
    "audit/shipped/local.py": {"uint8": 2},
    "audit/shipped/timed.py": {"uint8": 1},
    "estimators/chains/point.py": {"float32": 8},
    "evaluation/recommendation/bayesian_ranking.py": {"float32": 2},
    "experiments/figures/privrank/figure_13.py": {"int32": 1},
    "experiments/on_activity/movielens_100k.py": {"int32": 1},
    "experiments/on_rankings/forging.py": {"uint8": 2},
    "files/arrow_tables.py": {"int32": 2},
    "files/columns.py": {"int32": 1},
    "files/csv_tables.py": {"int32": 2},
    "files/hashes.py": {"uint8": 1},
    "files/tables.py": {"int32": 2},
    "models/categories.py": {"uint8": 1},
    "models/max_entropy/best_orders.py": {"int8": 1, "int32": 1},
    "models/max_entropy/pair_features.py": {"float32": 2},
    "models/max_entropy/rank_features.py": {"float32": 1},
    "models/plackett_luce.py": {"float32": 1, "int32": 1},
    "rankings/coding.py": {"uint8": 4, "uint16": 1},
    "rankings/competition.py": {"uint8": 1},
    "rankings/formats/preflib.py": {"uint8": 3},
    "rankings/formats/preflib_body.py": {"uint8": 2},
    "rankings/forms/places.py": {"int32": 2},
    "rankings/forms/ranks.py": {"int32": 1},
    "rankings/forms/readers.py": {"int32": 1},
    "rankings/rank_columns.py": {"int32": 2},
    "testing/mechanisms.py": {"uint8": 2},
}
"""Bytes and bits of reports, what libraries take, values, places and signs of few, what is learnt
in half the memory, and users, items and cells of one machine."""


def test_narrow_types_are_where_it_is_known_why():
    """Whose 32,769th user becomes another one, no test of few people notices."""
    found = {
        file.relative_to(CODE).as_posix(): Counter(
            name
            for function in of_file
            if isinstance(function, Function)
            for each in function.body
            for name in map(name_of_type, ast.walk(each))
            if NARROW.fullmatch(name)
        )
        for file, of_file in nodes().items()
    }
    assert {path: each for path, each in found.items() if each} == NARROW_TYPES


def name_of_type(node: ast.AST) -> str:
    """Return what may name a type: of `np.int32` and "int32" int32."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


OF_COMMANDS = {
    "cli",
    "experiments",
    "audit",
    "collector",
    "look.py",
    "simulate_table.py",
    "page.py",
}
OPTION = re.compile(r"^(?!.*(?:hushrank |: #)|--warm)(?:.*[ `])?--[a-z]+(?: |$)", re.DOTALL)
REGISTERED = {"doctype"}
"""Called under these names by others: the parser of XML calls `doctype`."""


def test_what_only_tests_would_call_is_documented_for_users_or_is_not_there():
    defined, used = set(), set()
    for node in chain(*nodes().values()):
        used.update(names_used(node))
        defined.update({node.name} if is_for_callers(node) else ())
    shown = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb")]
    shown += [ROOT / "README.md", *CODE.rglob("*.html")]
    told = {word for file in shown for word in re.findall(r"\w+", file.read_text())}
    assert len(defined) > 2000
    assert sorted(defined - used - told - REGISTERED) == []


def names_used(node: ast.AST) -> list[str]:
    """Return the names that a node reads, imports or holds as text; what it defines is no use."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return [name]
        case ast.Constant(value=str(text)) if re.fullmatch(r"[\w.:]+", text):
            return re.findall(r"\w+", text)
    return []


def is_for_callers(node: ast.AST) -> bool:
    """Tell definitions that somebody has to call from those that a decorator registers."""
    if isinstance(node, ast.ClassDef):
        return True
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    if not is_function or node.name.startswith("_"):
        return False
    return not any(isinstance(each, ast.Call) for each in node.decorator_list)


HOLDS = re.compile(
    r"\b(NDArray|csr_array|Ranks|Orders|Indices|Integers|Floats|Floats32|Counts|Mask|Words|Labels"
    r"|Shares|Values|RecordBatch|Rankings|Activity|Points|Scores|Order|Answered|Handout)\b"
)
"""Types of what people ranked, did or answered, among others."""
SHOWN = {"LiveSurvey", "Curve", "Ball", "StatedChannel"}
"""They hold no data of people: how many reports came, a picture, laws."""
IN_WORDS = {
    *("Assigned", "Given", "Joining", "Ledger", "Option", "ReleasedActivity", "ResultFile"),
    *("Contest", "Handout", "StreamSetup", "_Current"),
}
"""They hold ids, names, answers, questions or digests of people and their ballots as text or bytes,
or as objects that are not told by their types."""
GROWS = {"_Taught", "Sum", "StreamUser", "_Marking", "Search"}
"""What counts, adds up or is read while it is made."""


def dataclasses() -> list[tuple[ast.ClassDef, str]]:
    """Return all dataclasses, and how each is decorated."""
    return [
        (node, ast.unparse(decorator))
        for node in classes()
        for decorator in node.decorator_list
        if ast.unparse(decorator).startswith("dataclass")
    ]


def documents() -> list[ast.ClassDef]:
    """Return all classes of documents, which msgspec writes and reads."""
    return [
        node
        for node in classes()
        if "msgspec.Struct" in map(ast.unparse, node.bases)
        or {keyword.arg for keyword in node.keywords} & {"tag", "tag_field"}
    ]


def classes() -> list[ast.ClassDef]:
    return [
        node for of_file in nodes().values() for node in of_file if isinstance(node, ast.ClassDef)
    ]


@cache
def nodes() -> dict[Path, list[ast.AST]]:
    """Return all nodes of the code, by file."""
    files = sorted(CODE.rglob("*.py"))
    return {file: list(ast.walk(ast.parse(file.read_text()))) for file in files}


SECRET = re.compile(r"(^|_)(token|secret|key|password|salt|cookie|decks)$")
"""Names of what lets somebody in, or is drawn so that nobody knows people again."""
NO_SECRETS = {"Wrong.key", "Keyed.key", "Found.key"}
"""A key of words, the name of a column, and the number of a row."""
REDACTED = {
    *("Book", "Record"),  # which have secret keys
    *("Asking", "Assignment", "Accepted", "Incoming", "Quiet", "Upload", "_Sent"),
    *("HandedQuestion", "HashedAnswer", "SentReport", "WireHandout", "_Given"),
    *("ChannelDocument", "CurrentDocument", "DualDocument", "Journal"),
    *("SetupDocument", "UserDocument"),
}
"""Documents of what people answered or did, of what they were asked, and of who they are."""


def test_no_repr_shows_what_people_ranked_did_or_answered():
    """What a traceback, a log line or a notebook prints of a thing is its repr."""
    assert len(dataclasses()) > 400
    told = {
        node.name
        for node, decorated in dataclasses()
        if "repr=False" not in decorated
        and not any(
            isinstance(each, ast.FunctionDef) and each.name == "__repr__" for each in node.body
        )
        and any(
            HOLDS.search(ast.unparse(each.annotation)) and "repr=False" not in ast.unparse(each)
            for each in node.body
            if isinstance(each, ast.AnnAssign)
        )
    }
    assert told == SHOWN


OF_PEOPLE = {"ActivityLines", "Answer", "Kinds", "Marked", "Records"}
"""Named tuples of what people did or answered."""


def test_no_named_tuple_of_what_people_did_shows_it():
    """One that is of numbers of them, such as those of a solver, may."""
    hiding = {
        node.name
        for node in classes()
        if "NamedTuple" in map(ast.unparse, node.bases)
        if any(isinstance(each, ast.FunctionDef) and each.name == "__repr__" for each in node.body)
    }
    assert hiding == OF_PEOPLE


def test_no_repr_shows_who_people_are_or_what_they_were_told_in_words():
    hidden = {node.name for node, decorated in dataclasses() if "repr=False" in decorated}
    assert hidden >= IN_WORDS


def test_no_repr_shows_a_secret():
    told = {
        f"{node.name}.{ast.unparse(each.target)}"
        for node, hides in (
            *((node, "repr=False" in decorated) for node, decorated in dataclasses()),
            *((node, "Redacted" in map(ast.unparse, node.bases)) for node in documents()),
        )
        for each in node.body
        if isinstance(each, ast.AnnAssign) and SECRET.search(ast.unparse(each.target))
        if not hides and "repr=False" not in ast.unparse(each)
    }
    assert told == NO_SECRETS


def test_documents_hide_what_they_hold_from_rich_too():
    """`Redacted` does: msgspec gives each a `__rich_repr__` of its own, which shows all of it."""
    hiding = {
        node.name
        for node in documents()
        if any(isinstance(each, ast.FunctionDef) and each.name == "__repr__" for each in node.body)
    }
    assert hiding == set()
    redacted = {node.name for node in documents() if "Redacted" in map(ast.unparse, node.bases)}
    assert redacted == REDACTED


def test_things_do_not_change():
    changing = {node.name for node, decorated in dataclasses() if "frozen=True" not in decorated}
    assert changing == GROWS
    assert len(documents()) > 40
    for node in documents():
        given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        assert given.get("frozen") == "True", node.name
