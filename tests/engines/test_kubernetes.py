"""The file of the page for Kubernetes, as its Dask operator reads it: see `make test-elsewhere`.

Nothing is started: no cluster is asked.
"""

import re
from importlib.resources import files
from itertools import chain
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"
WHY = "make test-elsewhere installs it"
KUBERNETES = "1.35"
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def stated():
    """The file of the page."""
    yaml = pytest.importorskip("yaml")
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return yaml.safe_load(text)


@pytest.fixture
def schema():
    """What the operator's own definition asks of a cluster, where nothing else is allowed."""
    yaml = pytest.importorskip("yaml")
    pytest.importorskip("dask_kubernetes", reason=WHY)
    charts = files("dask_kubernetes") / "operator/deployment/helm"
    defined = charts / "dask-kubernetes-operator/crds/daskcluster.yaml"
    (version,) = yaml.safe_load(defined.read_text())["spec"]["versions"]
    return closed(version["schema"]["openAPIV3Schema"]["properties"]["spec"])


def closed(schema):
    """Refuse what Kubernetes would drop without a word, and take numbers where it takes both."""
    if not isinstance(schema, dict):
        return schema
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    found = {key: closed(value) for key, value in schema.items()}
    if "properties" in schema:
        found["properties"] = {key: closed(each) for key, each in schema["properties"].items()}
        found.setdefault("additionalProperties", False)
    return found


def errors_of(schema, document):
    jsonschema = pytest.importorskip("jsonschema")
    found = jsonschema.Draft7Validator(schema).iter_errors(document)
    return [f"{each.json_path}: {each.message}" for each in found]


def test_the_file_is_what_the_operator_defines(stated, schema):
    spec = stated.pop("spec")
    named = {"apiVersion": "kubernetes.dask.org/v1", "kind": "DaskCluster"}
    assert stated == {**named, "metadata": {"name": "hushrank"}}
    assert errors_of(schema, spec) == []
    spec["worker"]["spec"]["containers"][0]["cpus"] = 1
    spec["worker"]["replicas"] = "eight"
    assert len(errors_of(schema, spec)) == 2


@pytest.fixture
def built(stated):
    """What the operator would ask Kubernetes for: scheduler, its service, and a worker."""
    operator = "dask_kubernetes.operator.controller.controller"
    controller = pytest.importorskip(operator, reason=WHY)
    name, spec, no = stated["metadata"]["name"], stated["spec"], ({}, {})
    scheduler, worker = spec["scheduler"], spec["worker"]
    group = controller.build_default_worker_group_spec(name, worker, *no)["metadata"]["name"]
    given = group, "default", name, "1234", worker["spec"], *no
    return [
        controller.build_scheduler_deployment_spec(name, scheduler["spec"], *no),
        controller.build_scheduler_service_spec(name, scheduler["service"], *no),
        controller.build_worker_deployment_spec(*given),
    ]


def test_kubernetes_takes_what_the_operator_makes_of_it(built):
    checker = pytest.importorskip("kubernetes_validate", reason=WHY)
    for each in built:
        checker.validate(each, KUBERNETES, strict=True)
    built[0]["spec"]["template"]["spec"]["container"] = []
    with pytest.raises(checker.ValidationError):
        checker.validate(built[0], KUBERNETES, strict=True)


def test_parts_of_the_file_find_each_other(built):
    """The service its scheduler, ports their names, and words of Kubernetes what the operator sets.

    The operator asks for the port `http-dashboard` where it takes workers away.
    """
    scheduler, service, worker = built
    labels = scheduler["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()
    (container,) = scheduler["spec"]["template"]["spec"]["containers"]
    ports = {each["name"] for each in container["ports"]}
    assert {each["targetPort"] for each in service["spec"]["ports"]} <= ports
    assert {each["name"] for each in service["spec"]["ports"]} == {"tcp-comm", "http-dashboard"}
    (container,) = worker["spec"]["template"]["spec"]["containers"]
    named = chain.from_iterable(re.findall(r"\$\((\w+)\)", each) for each in container["args"])
    assert set(named) <= {each["name"] for each in container["env"]}
