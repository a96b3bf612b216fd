"""The page on activity data holds: its Python runs, its commands make the files it lists."""

import re
import subprocess
from pathlib import Path

import pytest

from hushrank.activities.activity_files import read_log
from hushrank.activities.profile_files import read_profiles

PAGE = (Path(__file__).parents[2] / "docs" / "activity-data.md").read_text()
COMMANDS = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SIZES = {
    name: tuple(int(number.replace(",", "")) for number in numbers.split(" | "))
    for name, numbers in re.findall(
        r"\| `([a-zA-Z0-9-]+\.csv)` \| ([\d,]+(?: \| [\d,]+){3}) \|", PAGE
    )
}


def example(header):
    """Return the text of the made-up file with this header."""
    return re.search(rf"```\n({header}.*?)```", PAGE, re.DOTALL)[1]


@pytest.mark.end_to_end
def test_the_python_of_the_page_runs_on_its_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(example("user,item") + "kim,museum,1,1325383200\n")
    Path("people.csv").write_text(example("user,gender").replace("M,,none", "M,20,none"))
    scope = {}
    for code in PYTHON:
        exec(compile(code, "docs/activity-data.md", "exec"), scope)
    joint = scope["profiles"].joint(["gender", "age"])
    assert joint.values == ("F, 18-34", "M, 18-34")
    assert Path("again.parquet").exists()
    assert (scope["public"].n_users, scope["groups"].n_users) == (500, 500)


@pytest.mark.end_to_end
def test_the_commands_of_the_page_make_the_files_that_it_lists(data_folder, tmp_path):
    for command in COMMANDS:
        subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=tmp_path, check=True)
    profiles = set(tmp_path.glob("*-profiles.csv"))
    made = {path.name: path for path in set(tmp_path.iterdir()) - profiles}
    assert made.keys() == SIZES.keys()
    for name, path in made.items():
        log = read_log(path)
        sizes = log.n_users, log.n_items, log.n_records, log.activity().n_records
        assert sizes == SIZES[name], name
        log.activity().require_active()
    for path in profiles:
        found = read_profiles(path, bins={"age": (18, 35, 50)} if "100k" in path.name else None)
        assert all(found.joint([name]).told.all() for name in found.names)


@pytest.mark.end_to_end
@pytest.mark.parametrize(
    ("name", "attribute", "counts"),
    [
        ("movielens-1m", "gender", {"F": 1709, "M": 4331}),
        ("movielens-100k", "gender", {"F": 273, "M": 670}),
        ("sushi-b", "gender", {"female": 2627, "male": 2373}),
    ],
)
def test_profiles_belong_to_the_activity(data_folder, tmp_path, name, attribute, counts):
    (command,) = [command for command in COMMANDS if f"> {name}-profiles.csv" in command]
    subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=tmp_path, check=True)
    users = read_log(tmp_path / f"{name}.csv").users
    found = read_profiles(tmp_path / f"{name}-profiles.csv").aligned(users).attribute(attribute)
    assert dict(zip(found.values, found.counts.tolist(), strict=True)) == counts
