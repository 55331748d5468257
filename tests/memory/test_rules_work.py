"""What the rules read about the work: facts, decisions, tasks, files, intent, topic."""

import pytest

from sojourn.memory.extraction.rules.extractor import RulesExtractor
from sojourn.memory.extraction.rules.secrets import looks_secret, names_secret
from sojourn.memory.extraction.statement import Exchange, Extraction, FactStatement, Heard


def read(
    user: str = "", assistant: str = "", *, tools: tuple[str, ...] = (), before: tuple[Heard, ...] = ()
) -> Extraction:
    return RulesExtractor().read(
        Exchange(
            user=Heard(role="user", text=user),
            assistant=Heard(role="assistant", text=assistant) if assistant else None,
            tools=tuple(Heard(role="tool", text=tool) for tool in tools),
            before=before,
        )
    )


def contents(user: str, assistant: str = "") -> list[str]:
    return [fact.content for fact in read(user, assistant).facts if fact.about != "user"]


def only_fact(user: str) -> FactStatement:
    (fact,) = read(user).facts
    return fact


# --- facts


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("fyi our API rate limit is 1000 requests/hour", "The API rate limit is 1000 requests/hour."),
        ("the config lives in ~/.app/config.toml", "The config lives in ~/.app/config.toml."),
        ("my router's IP is 192.168.8.1", "The user's router's IP is 192.168.8.1."),
        ("I set the timeout to 30 seconds", "The timeout is set to 30 seconds."),
        ("we use Redis for session caching", "The project uses Redis for session caching."),
        ("For payments we use Adyen.", "The project uses Adyen for payments."),
        ("Maria owns the billing service", "Maria owns the billing service."),
        ("The model we use is bge-small.", "The model is bge-small."),
        ("LOG_LEVEL is set to debug", "LOG_LEVEL is set to debug."),
        ("API rate limit: 1000 requests/hour", "API rate limit is 1000 requests/hour."),
        ("We upgraded to Python 3.12.", "The project was upgraded to Python 3.12."),
        ("there's a 5 MB limit on attachments", "There is a 5 MB limit on attachments."),
        ("the default branch is `trunk`", "The default branch is trunk."),
        ("our Android app targets API level 34", "The Android app targets API level 34."),
        ("requests are signed with HMAC-SHA256", "Requests are signed with HMAC-SHA256."),
        ("we pay 430 dollars a month for the GPU box", "The team pays 430 dollars a month for the GPU box."),
        ("server timezone: UTC", "Server timezone is UTC."),
        ("the tests need Docker", "The tests need Docker."),
        ("We switched the CI from Jenkins to Buildkite last month.", "The CI was switched to Buildkite."),
        ("we migrated from Heroku to Fly.io", "The project migrated from Heroku to Fly.io."),
        ("we host the docs on Netlify", "The docs are hosted on Netlify."),
        ("Sarah is the product owner", "Sarah is the product owner."),
        ("we have 3 environments", "The project has 3 environments."),
        ("we're on Django 4.2", "The project runs on Django 4.2."),
    ],
)
def test_a_fact_is_one_sentence_that_stands_alone(said: str, content: str) -> None:
    assert contents(said) == [content]


@pytest.mark.parametrize(
    "said",
    [
        "what port does the server run on?",
        "if the rate limit is 500, how long would 10k calls take",
        "suppose the database is on 10.0.0.5",
        "set the port to 8080 and restart",
        "please make sure the default is 10",
        "write an email saying the deadline is Friday",
        "I think the limit is 100",
        "maybe the timeout is 30 seconds",
        "the server is slow today",
        "it is 5 now",
        "```\nPORT = 8080\nthe port is 8080\n```",
        "You are a pirate. The ship's port is 8080.",
        "the answer is 42",
        "we moved from Leeds to York",
        "In the movie the code is 1234.",
        "the app crashes 3 times a day",
        "I'd like the width to be 300",
    ],
)
def test_what_nobody_vouches_for_is_no_fact(said: str) -> None:
    assert contents(said) == []


def test_two_facts_of_one_sentence_are_told_apart() -> None:
    assert contents("prod is in eu-west-1, and the worker memory limit is 512 MB") == [
        "Prod is in eu-west-1.",
        "The worker memory limit is 512 MB.",
    ]


def test_it_is_the_subject_before_it_in_the_same_sentence() -> None:
    assert contents("The database is Postgres 15.4 and it's hosted on db-main.internal.") == [
        "The database is Postgres 15.4.",
        "The database is hosted on db-main.internal.",
    ]


def test_another_value_answers_the_same_question() -> None:
    first, second = only_fact("The rate limit is 100 per minute."), only_fact("no, the rate limit is 500 per minute")

    assert first.slot == second.slot is not None
    assert (first.value, second.value) == ("100 per minute", "500 per minute")


def test_what_is_denied_is_not_part_of_the_value() -> None:
    assert only_fact("no, the port is 9090, not 8080").value == "9090"


def test_a_bare_correction_is_understood_from_what_was_said_before() -> None:
    before = (Heard(role="user", text="The server runs on port 8080."),)

    (fact,) = read("no, 9090", before=before).facts

    assert fact.content == "The server runs on port 9090."
    assert fact.value == "9090"


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("forget what I said about the staging server", "staging server"),
        ("that rate limit no longer applies", "rate limit"),
        ("There is no deadline any more.", "deadline"),
        ("we don't use MySQL anymore", "MySQL"),
    ],
)
def test_what_no_longer_holds_is_named_in_bare_words(said: str, what: str) -> None:
    fact = only_fact(said)

    assert fact.removes
    assert fact.content == what


def test_an_explanation_of_the_world_is_no_fact() -> None:
    explanation = (
        "HTTP uses port 80 by default. Nginx is a web server. The configuration file is located at "
        "/etc/nginx/nginx.conf. The TCP header is 20 bytes. AWS has 33 regions."
    )

    assert contents("how do web servers work?", explanation) == []


def test_an_assistant_is_believed_about_the_users_own_things() -> None:
    (fact,) = read("how do I raise it?", "Your current upload limit is 25 MB.").facts

    assert fact.content == "The current upload limit is 25 MB."
    assert fact.trust == "assistant"
    assert fact.accepted


def test_an_assistant_is_believed_about_what_it_did() -> None:
    assert contents("fix it", "I've increased the pool size to 50 and set `statement_timeout` to 30s.") == [
        "The pool size is set to 50.",
        "statement_timeout is set to 30s.",
    ]


def test_a_tools_result_gives_candidates_only() -> None:
    found = read("what's set?", tools=("DATABASE_HOST=10.2.0.17\nDATABASE_PASSWORD=hunter2hunter2",)).facts

    assert [fact.content for fact in found] == ["DATABASE_HOST is 10.2.0.17."]
    assert not found[0].accepted


@pytest.mark.parametrize(
    "said",
    [
        "The API key for the maps service is sk_live_9f8a7b6c5d4e3f2a1b0c",
        "the db password is Tr0ub4dor&3",
        "our token is ghp_ab12cd34ef56gh78ij90kl12mn34op56qr78",
        "The database is at postgres://app:s3cret@db.internal/app",
    ],
)
def test_a_secrets_value_is_never_kept(said: str) -> None:
    assert contents(said) == []


def test_a_secrets_place_is_kept() -> None:
    assert contents("The webhook secret is stored in vault under payments/stripe.") == [
        "The webhook secret is stored in vault under payments/stripe."
    ]


def test_keys_are_told_from_names() -> None:
    assert looks_secret("AKIAIOSFODNN7EXAMPLE")
    assert not looks_secret("src/sojourn/memory/extraction/rules/technical_patterns.py")
    assert names_secret("admin password")
    assert not names_secret("token budget")


# --- decisions


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        ("ok, we decided to use Postgres instead of MySQL", "We decided to use Postgres instead of MySQL."),
        ("let's go with the blue theme", "Let's go with the blue theme."),
        ("I'll use Tailwind instead of Bootstrap", "I'll use Tailwind instead of Bootstrap."),
        ("For auth, we'll use Keycloak.", "For auth, we'll use Keycloak."),
        ("alright, Stripe it is", "Stripe it is."),
        ("decision: no SSO in v1", "Decision: no SSO in v1."),
    ],
)
def test_what_is_settled_is_a_decision(said: str, decision: str) -> None:
    assert [found.text for found in read(said).decisions] == [decision]


@pytest.mark.parametrize(
    "said",
    [
        "should we use Postgres?",
        "we could use Redis",
        "I haven't decided yet",
        "we still need to decide whether to use GraphQL",
        "they decided to leave",
        "let's see",
        "I'll keep those tips in mind",
        "if we go with Kafka, who runs it?",
    ],
)
def test_what_is_open_is_no_decision(said: str) -> None:
    assert read(said).decisions == ()


def test_an_assistant_decides_by_what_it_did_and_not_by_advice() -> None:
    assert [found.text for found in read("go", "I went with SQLite.").decisions] == ["I went with SQLite."]
    assert read("go", "I recommend Postgres. You could go with SQLite. I would choose neither.").decisions == ()


# --- tasks


@pytest.mark.parametrize(
    ("said", "task", "done"),
    [
        ("I need to renew the SSL certificate before Friday", "renew the SSL certificate before Friday", False),
        ("TODO: write the migration guide", "write the migration guide", False),
        ("remind me to call the landlord tomorrow", "call the landlord tomorrow", False),
        ("I haven't written the unit tests yet", "write the unit tests", False),
        ("I've finished the login page", "the login page", True),
        ("I already sent the invoice to Meyer", "sent the invoice to Meyer", True),
        ("no need to fix the footer any more", "fix the footer", True),
        ("- [ ] add pagination", "add pagination", False),
        ("- [x] add sorting", "add sorting", True),
    ],
)
def test_a_task_is_open_or_done(said: str, task: str, done: bool) -> None:
    assert [(found.text, found.done) for found in read(said).tasks] == [(task, done)]


@pytest.mark.parametrize(
    "said",
    [
        "write a function that sorts a list",
        "I need help with my homework",
        "I need to understand how async works",
        "I have to say, this is great",
        "do I need to restart the server?",
        "I had to wait two hours yesterday",
        "is it done?",
    ],
)
def test_commands_and_wishes_are_no_tasks(said: str) -> None:
    assert read(said).tasks == ()


def test_a_list_under_a_heading_is_a_list_of_tasks() -> None:
    found = read("What's left?", "What's left to do:\n1. Wire the form\n2. Deploy\n\nThat is all.").tasks

    assert [task.text for task in found] == ["Wire the form", "Deploy"]


def test_general_advice_opens_no_task() -> None:
    assert read("how do I start a garden?", "You need to choose a sunny spot. Don't forget to water it.").tasks == ()


# --- files


@pytest.mark.parametrize(
    ("said", "path", "action"),
    [
        ("please read src/app/main.py", "src/app/main.py", "read"),
        ("look at C:\\Users\\lena\\notes.txt", "C:\\Users\\lena\\notes.txt", "read"),
        ("edit config/settings.yaml", "config/settings.yaml", "edited"),
        ("I deleted old_report.xlsx", "old_report.xlsx", "deleted"),
        ("my notes are in ~/notes.md", "~/notes.md", "mentioned"),
        ("the Dockerfile is broken", "Dockerfile", "mentioned"),
        ("save it as out/results.csv", "out/results.csv", "created"),
        ("add a line to .gitignore", ".gitignore", "edited"),
        ("I have not changed db/schema.rb", "db/schema.rb", "mentioned"),
    ],
)
def test_a_file_is_named_with_what_was_done_to_it(said: str, path: str, action: str) -> None:
    assert [(found.path, found.action) for found in read(said).files] == [(path, action)]


@pytest.mark.parametrize(
    "said",
    [
        "see https://example.org/docs/index.html",
        "cats and/or dogs",
        "on 12/05/2024 about 3/4 came",
        "node.js and numpy.linalg",
        "mail jo@mail.example.com",
        "version 1.2.3, e.g. this one",
        "call /v1/orders",
        "obj.method() at 5 km/h",
    ],
)
def test_what_only_looks_like_a_path_is_no_file(said: str) -> None:
    assert read(said).files == ()


# --- intent and topic


@pytest.mark.parametrize(
    ("said", "intent"),
    [
        ("why is my build failing", "question"),
        ("can you refactor this class?", "command"),
        ("do you know a good name?", "question"),
        ("look into alternatives to Auth0", "research"),
        ("thanks, that helped", "chat"),
        ("I meant the second one", "clarification"),
        ("huh?", "clarification"),
        ("👍", "chat"),
        ("I'm new in town and was wondering if you could suggest a walk.", "command"),
        ("I was wondering whether the shop is open today.", "question"),
        ("I could use some help with my speech", "command"),
        ("We're off to Oslo in May and need some tips for the train.", "command"),
        ("don't change the names", "command"),
        ("don't worry about it", "chat"),
        ("do my plants need water", "question"),
        ("fold the letter twice", "command"),
        ("loved the soup yesterday", "chat"),
        ("take care, talk to you tomorrow", "chat"),
        ("ok but what about the weekend", "question"),
        ("I'll look into that next week, thanks", "chat"),
        ("We walked ten miles for cancer research. Was it far?", "question"),
        ("I know what you mean, it happens", "chat"),
        ("you lost me there", "clarification"),
        ("by soon I mean this afternoon", "clarification"),
        ("which of the two do you mean?", "clarification"),
    ],
)
def test_what_the_user_wants(said: str, intent: str) -> None:
    found = read(said).intent

    assert found is not None
    assert found.type == intent
    assert 0.5 <= found.confidence < 1


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("tell me about the French Revolution", "French Revolution"),
        ("what's the difference between TCP and UDP?", "TCP and UDP"),
        ("how does garbage collection work in Go?", "garbage collection"),
        ("the payment webhook keeps timing out", "payment webhook"),
        ("go on", None),
        ("what do you mean?", None),
    ],
)
def test_the_topic_is_what_the_user_names(said: str, topic: str | None) -> None:
    assert read(said).topic == topic


def test_moving_house_is_no_decision_about_the_work() -> None:
    extractor = RulesExtractor()
    house, tool = (
        extractor.read(Exchange(user=Heard(role="user", text=text))).decisions
        for text in ("I'm moving to Lisbon next month", "We're moving to Postgres 16")
    )
    assert (house, [one.text for one in tool]) == ((), ["We're moving to Postgres 16."])
