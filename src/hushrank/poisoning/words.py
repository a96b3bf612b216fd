"""What a test of reports found, as a sentence."""

from collections.abc import Sequence

from hushrank.poisoning.findings import Finding


def in_words(finding: Finding, names: Sequence[str]) -> str:
    """Say what honest devices cannot have sent, about items of these names."""
    much = "more" if finding.is_too_many else "fewer"
    number = finding.number or 0
    match finding.kind:
        case "item":
            return f"{much} reports than can be honest put {names[number]} first"
        case "asked":
            return f"more reports than are dealt to it regard {names[number]}"
        case "total":
            return f"reports speak for {much} answers in all than honest ones can"
    question = (finding.question or 0) + 1
    return f"{much} reports than can be honest support answer {number + 1} of question {question}"
