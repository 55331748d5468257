"""What is asked before a branch is brought home, and what is told afterwards."""

from rich.text import Text

from sojourn.desk.visible import safe
from sojourn.desk.wording import count, one_line
from sojourn.engine.merge import MergeResult
from sojourn.model.header import SessionHeader
from sojourn.tui.asking import Question
from sojourn.tui.branches.comparing import value, what


def whether(ours: SessionHeader, theirs: SessionHeader) -> Question:
    """Return the question whether to bring home what a branch has learned."""
    return Question(
        f"Bring home to {_quoted(ours)} what {_quoted(theirs)} has learned?",
        said=[
            Text("Facts, profile, decisions, tasks and variables come home."),
            Text("Messages stay where they were said. What both changed is asked first."),
        ],
        answers=[("n", "", "no"), ("y", "yes", "yes, bring it home")],
    )


def which_side(result: MergeResult) -> Question:
    """Return the question that is asked when both sides changed something to different ends."""
    said = [
        Text.assemble(
            (f"{what(one)}\n", "bold"), "  here   ", value(one, one.ours), "\n  there  ", value(one, one.theirs)
        )
        for one in result.conflicts
    ]
    return Question(
        "Both sides have changed this. Which side decides?",
        said=said,
        answers=[
            ("escape", "", "neither"),
            ("h", "ours", "here"),
            ("t", "theirs", "there"),
            ("n", "newest", "the newest"),
            ("c", "most_confident", "the surest"),
        ],
    )


def outcome(result: MergeResult) -> str:
    """Return what to say of a merge, and how to take it back."""
    if not result.merged:
        return "nothing was changed"
    if not result.brought:
        return "there was nothing to bring home"
    return f"{count(len(result.brought), 'thing')} brought home; enter on the message above takes it back"


def _quoted(header: SessionHeader) -> str:
    return f"“{safe(one_line(header.title or 'no title', most=50))}”"
