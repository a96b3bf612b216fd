"""Which files are mutated, and which tests are to notice: of the file, of its room, of others."""

from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutant import ROOT, Tests

HOUSE = ("tests/test_house.py",)
"""Rules that hold for all files: that things stay as they are, and that no repr shows data."""


@dataclass(frozen=True)
class Room:
    """Some files, the tests of their room, and wider ones for what those do not notice."""

    name: str
    files: tuple[str, ...]
    tests: Tests
    wider: Tests

    @property
    def paths(self) -> list[str]:
        """The files, from the root of the project."""
        found = {path for pattern in self.files for path in (ROOT / "src/hushrank").glob(pattern)}
        return sorted(path.relative_to(ROOT).as_posix() for path in found)

    def stages(self, file: str, *, is_wide: bool) -> tuple[Tests, ...]:
        """Return the tests of the file if it has its own, of its room, of the house."""
        own = ROOT / "tests" / Path(file).relative_to("src/hushrank").parent
        mirror = own / f"test_{Path(file).stem}.py"
        first = ((mirror.relative_to(ROOT).as_posix(),),) if mirror.exists() else ()
        return (*first, self.tests, HOUSE, *((self.wider,) if is_wide else ()))


ROOMS = (
    Room("accounting", ("accounting/*.py",), ("tests/accounting",), ("tests/engines",)),
    Room("samplers", ("samplers/*.py",), ("tests/samplers",), ("tests/mechanisms",)),
    Room(
        "mechanisms",
        ("mechanisms/**/*.py",),
        ("tests/mechanisms",),
        ("tests/surveys", "tests/aggregators/private", "tests/planning"),
    ),
    Room(
        "questions",
        ("questions/*.py",),
        ("tests/questions",),
        ("tests/surveys", "tests/protocols", "tests/collector/client"),
    ),
    Room(
        "surveys",
        ("surveys/*.py",),
        ("tests/surveys",),
        ("tests/engines", "tests/collector/device", "tests/collector/test_service.py"),
    ),
    Room(
        "engines",
        ("engines/*.py",),
        ("tests/engines",),
        ("tests/protocols/test_personal_budgets.py", "tests/workflows/test_collect.py"),
    ),
    Room(
        "protocols",
        ("protocols/**/*.py",),
        ("tests/protocols",),
        (
            *("tests/engines", "tests/planning", "tests/aggregators/from_reports"),
            *("tests/workflows/test_collect.py", "tests/workflows/test_shuffled.py"),
            *("tests/workflows/test_plug_ins.py", "tests/cli/test_max_entropy.py"),
            *("tests/workflows/plan", "tests/collector/test_chosen_questions.py"),
        ),
    ),
    Room(
        "aggregators/private",
        ("aggregators/private/**/*.py",),
        ("tests/aggregators/private",),
        ("tests/aggregators", "tests/workflows/test_aggregate.py", "tests/planning"),
    ),
    Room(
        "aggregators: the others",
        ("aggregators/*.py", "aggregators/[!p]*/*.py"),
        ("tests/aggregators",),
        ("tests/protocols", "tests/workflows/test_aggregate.py", "tests/engines"),
    ),
    Room("models", ("models/**/*.py",), ("tests/models",), ("tests/protocols", "tests/estimators")),
    Room("estimators", ("estimators/**/*.py",), ("tests/estimators",), ("tests/protocols",)),
    Room(
        "evaluation",
        ("evaluation/**/*.py",),
        ("tests/evaluation",),
        ("tests/publishing", "tests/experiments"),
    ),
    Room(
        "rankings: what is read",
        (
            *("rankings/[!a]*.py", "rankings/formats/*.py", "rankings/cast_votes/*.py"),
            "arrays.py",
        ),
        ("tests/rankings",),
        ("tests/files", "tests/workflows/test_look.py", "tests/cli/input"),
    ),
    Room("activities", ("activities/**/*.py",), ("tests/activities",), ("tests/publishing",)),
    Room(
        "planning",
        ("planning/**/*.py",),
        ("tests/planning",),
        ("tests/workflows/plan", "tests/cli/plan"),
    ),
    Room(
        "publishing: releases",
        tuple(
            f"publishing/{room}*.py" for room in ("", "historical/", "online/", "record_channel/")
        ),
        (
            *("tests/publishing/historical", "tests/publishing/online"),
            *("tests/publishing/record_channel", "tests/publishing/test_baselines.py"),
            *("tests/publishing/test_channel.py", "tests/publishing/test_classifiers.py"),
        ),
        ("tests/workflows/publish", "tests/cli/test_publish_online.py", "tests/evaluation"),
    ),
    Room("files", ("files/**/*.py",), ("tests/files",), ("tests/rankings", "tests/activities")),
    Room(
        "rankings: how files are read",
        ("rankings/agreement.py", "rankings/forms/**/*.py", "files/dealing.py"),
        ("tests/rankings", "tests/files/test_dealing.py"),
        ("tests/files", "tests/cli/input", "tests/stories"),
    ),
    Room("audit", ("audit/*.py",), ("tests/audit",), ("tests/stories",)),
    Room(
        "poisoning",
        ("poisoning/*.py",),
        ("tests/poisoning",),
        ("tests/workflows/results", "tests/collector/use_cases", "tests/collector/test_service.py"),
    ),
    Room("workflows", ("workflows/**/*.py",), ("tests/workflows",), ("tests/cli", "tests/reports")),
    Room(
        "collector: surveys, store, web",
        (
            *("collector/*.py", "collector/use_cases/*.py", "collector/results/*.py"),
            *("collector/store/**/*.py", "collector/web/*.py", "collector/web/[ago]*/*.py"),
        ),
        (
            *(
                f"tests/collector/test_{name}.py"
                for name in ("draft", "elsewhere", "forecast", "life", "rounds")
            ),
            *("tests/collector/test_service.py", "tests/collector/test_chosen_questions.py"),
            "tests/collector/use_cases",
            *("tests/collector/results", "tests/collector/store", "tests/collector/web"),
        ),
        ("tests/collector/device", "tests/cli"),
    ),
    Room(
        "collector: admission",
        (
            *("collector/use_cases/answering.py", "collector/use_cases/desk.py"),
            *("collector/tokens.py", "collector/decks.py"),
        ),
        (
            *(
                f"tests/collector/test_{name}.py"
                for name in ("decks", "service", "tokens", "chosen_questions")
            ),
            "tests/collector/use_cases",
        ),
        ("tests/collector/device", "tests/collector/web/api/test_reports.py"),
    ),
    Room(
        "collector: device and ledger",
        ("collector/device/[dlt]e*.py", "collector/device/repeating.py", "workflows/ledger.py"),
        ("tests/collector/device", "tests/workflows/test_ledger.py"),
        ("tests/workflows/test_aggregate.py", "tests/cli/test_answer.py"),
    ),
)
