"""The words that technical facts are told by: what work is about, what says nothing, what asks for something."""

from typing import Final

THINGS: Final = frozenset({
    "timestamp", "timestamps", "bot", "browser", "browsers", "employee", "employees", "cookie", "homelab", "orm",
    "state", "access", "ingress", "egress", "etl", "orchestration", "orchestrator", "rotation", "freeze", "lifetime",
    "seat", "seats", "newsletter", "blog", "forum", "intranet", "hardware", "pump", "heating", "meter", "tenant",
    "tenants", "secrets", "hook", "hooks", "daemon", "sidecar", "gpu", "chip", "antenna", "lock", "rollout", "outage",
    "window", "mirror", "changelog", "template", "templates", "stylesheet", "asset", "assets", "sitemap", "campaign",
    "company", "startup", "business", "system", "infrastructure", "panel", "console", "microservices", "attachments",
    "api", "endpoint", "route", "webhook", "url", "uri", "domain", "subdomain", "host", "hostname", "server",
    "servers", "cluster", "node", "nodes", "pod", "pods", "container", "containers", "vm", "vps", "instance",
    "instances", "machine", "box", "gateway", "proxy", "router", "nas", "switch", "firewall", "vpn", "dns", "cdn",
    "balancer", "network", "subnet", "ip", "port", "ports", "socket", "bucket", "queue", "topic", "broker", "brokers",
    "stream", "partition", "shard", "replica", "replicas", "database", "databases", "db", "schema", "table", "tables",
    "column", "columns", "row", "rows", "field", "fields", "index", "indexes", "key", "keys", "view", "migration",
    "migrations", "query", "queries", "cache", "caching", "ttl", "session", "sessions", "token", "tokens", "jwt",
    "auth", "login", "password", "certificate", "cert", "ssl", "tls", "app", "application", "apps", "service",
    "services", "microservice", "worker", "workers", "job", "jobs", "cron", "scheduler", "task", "pipeline", "ci",
    "build", "builds", "deploy", "deployment", "deployments", "release", "releases", "environment", "environments",
    "env", "prod", "production", "staging", "dev", "sandbox", "qa", "repo", "repository", "monorepo", "branch",
    "trunk", "tag", "commit", "commits", "codebase", "code", "package", "packages", "module", "library", "libraries",
    "framework", "dependency", "dependencies", "version", "versions", "firmware", "driver", "sdk", "cli", "frontend",
    "backend", "client", "clients", "website", "site", "page", "pages", "dashboard", "portal", "homepage", "ui",
    "widget", "plugin", "extension", "config", "configuration", "settings", "setting", "option", "flag", "feature",
    "variable", "parameter", "default", "defaults", "limit", "limits", "quota", "rate", "threshold", "timeout",
    "timeouts", "retry", "retries", "interval", "retention", "size", "length", "count", "capacity", "memory", "ram",
    "cpu", "cpus", "gpus", "disk", "storage", "volume", "bandwidth", "latency", "throughput", "uptime", "sla", "slo",
    "backup", "backups", "snapshot", "log", "logs", "logging", "metrics", "alert", "alerts", "monitoring", "trace",
    "file", "files", "folder", "directory", "path", "script", "scripts", "notebook", "dockerfile", "makefile",
    "readme", "wiki", "docs", "documentation", "doc", "spec", "specification", "ticket", "board", "backlog", "sprint",
    "milestone", "deadline", "roadmap", "codename", "project", "team", "lead", "owner", "maintainer", "contact",
    "stack", "language", "runtime", "compiler", "interpreter", "os", "kernel", "dataset", "data", "datasets", "label",
    "labels", "model", "models", "embedding", "embeddings", "vector", "vectors", "training", "checkpoint",
    "tokenizer", "batch", "epoch", "epochs", "dimension", "dimensions", "accuracy", "budget", "invoice", "contract",
    "license", "licence", "plan", "tier", "subscription", "account", "workspace", "organisation", "organization",
    "region", "zone", "datacenter", "rack", "sensor", "sensors", "device", "devices", "controller", "printer",
    "scanner", "camera", "thermostat", "battery", "id", "identifier", "number", "prefix", "suffix", "format",
    "encoding", "charset", "timezone", "locale", "protocol", "payload", "request", "requests", "response",
    "responses", "header", "headers", "message", "messages", "email", "mailbox", "channel", "standup", "meeting",
    "demo", "review", "retro", "kickoff", "launch", "venue", "workshop", "conference", "call", "presentation",
    "thesis", "dissertation", "paper", "report", "manuscript", "chapter", "draft", "exam", "course", "grant", "study",
    "survey", "experiment", "test", "tests", "suite", "coverage", "linter", "formatter", "editor", "ide", "terminal",
    "shell", "laptop", "desktop", "workstation", "hub", "registry", "artifact", "artifacts", "image", "images",
    "bundle", "binary", "installer", "store", "shop", "checkout", "cart", "order", "orders", "payment", "payments",
    "billing", "pricing", "customer", "customers", "user", "users", "player", "players", "engine", "level", "tick",
    "frame", "fps", "resolution", "bitrate", "upload", "uploads", "download", "downloads", "pool", "connection",
    "connections", "thread", "threads", "process", "processes", "approvals", "approval", "reviewer", "reviewers",
    "policy", "rule", "rules", "role", "permission", "permissions", "group", "vault", "agent", "prompt", "context",
    "crawler", "scraper", "parser", "importer", "exporter", "sync", "integration", "connector", "adapter", "bridge",
    "feed", "catalog", "catalogue", "inventory", "warehouse", "search", "analytics", "tracker", "counter",
    "notification", "notifications", "sms", "form", "forms", "mobile", "web", "office", "floor", "room", "lab",
    "line", "tolerance", "voltage", "current", "pressure", "temperature", "speed", "frequency", "everything", "train",
    "flight", "hotel", "supplier", "vendor", "hosting", "provider", "theme", "font", "color", "colour", "width",
    "height", "margin",
})  # fmt: skip
"""What a technical fact is about: a subject must hold one of these, unless it is spelled like a name."""

ATTRIBUTES: Final = frozenset({
    "lifetime", "duration", "window", "seats", "dimension", "width", "height", "prefix", "schedule", "hours", "port",
    "host", "hostname", "url", "endpoint", "version", "limit", "quota", "timeout", "threshold", "size", "length",
    "count", "capacity", "budget", "price", "ttl", "interval", "retention", "rate", "deadline", "date", "venue",
    "codename", "name", "branch", "region", "zone", "owner", "maintainer", "lead", "id", "identifier", "address",
    "ip", "email", "contact", "column", "suffix", "license", "licence", "plan", "tier", "stack", "language",
    "framework", "database", "broker", "engine", "path", "directory", "folder", "format", "encoding", "protocol",
    "timezone", "locale", "username", "user", "account", "channel", "level", "provider", "vendor", "model", "bucket",
    "queue", "topic", "label", "default", "sla", "slo", "coverage", "frequency", "resolution", "theme", "font",
    "stage",
})  # fmt: skip
"""Subjects that end in one of these are answered by any short name, not only by a number."""

KIN: Final = frozenset({
    "wife", "husband", "partner", "spouse", "girlfriend", "boyfriend", "mother", "father", "mom", "mum", "dad",
    "sister", "brother", "son", "daughter", "child", "kid", "kids", "baby", "cousin", "aunt", "uncle", "niece",
    "nephew", "grandmother", "grandfather", "grandma", "grandpa", "friend", "neighbor", "neighbour", "dog", "cat",
    "birthday", "age", "name", "hobby", "hobbies", "favorite", "favourite", "hometown", "job", "salary", "rent",
    "parents", "family", "phone", "diet",
})  # fmt: skip
"""Subjects of the person, not of the work."""

VAGUE: Final = frozenset({
    "thing", "things", "problem", "problems", "issue", "issues", "reason", "point", "question", "answer", "idea",
    "truth", "fact", "key", "goal", "aim", "trick", "difference", "solution", "way", "best", "worst", "rest",
    "example", "case", "story", "movie", "film", "book", "song", "world", "sun", "moon", "earth", "weather", "news",
    "result", "results", "conclusion", "moral", "catch", "bottom", "other", "others", "one", "ones", "same", "first",
    "second", "third", "last", "next", "person", "people", "man", "woman", "boy", "girl", "king", "queen",
    "character", "characters", "author", "hero", "day", "week", "month", "year", "time", "moment", "past", "future",
    "life", "love", "food", "recipe", "dish", "oven", "batter", "dough", "sauce", "exercise", "explanation",
    "concern", "purpose", "advantage", "benefit", "downside", "step", "steps", "tip", "tips",
    "total", "latest", "current", "city", "country", "capital", "population",
})  # fmt: skip
"""Subjects that nothing is worth keeping of, whatever is said of them."""

NOT_SUBJECTS: Final = frozenset({
    "i've", "i'm", "i'd", "i'll", "we've", "we're", "we'd", "we'll", "you've", "you're", "you'd", "you'll", "it",
    "this", "that", "these", "those", "there", "here", "what", "which", "who", "whom", "whose", "where", "when",
    "why", "how", "whether", "if", "unless", "because", "since", "although", "though", "as", "than", "then", "so",
    "or", "nor", "not", "no", "nothing", "something", "anything", "everyone", "everybody", "someone", "anyone",
    "nobody", "he", "she", "they", "them", "him", "her", "his", "hers", "their", "theirs", "i", "me", "we", "us",
    "you", "he's", "she's", "they're", "it's", "that's", "there's", "let's", "lets", "please", "can", "could",
    "would", "should", "will", "may", "might", "must", "shall", "do", "does", "did", "don't", "doesn't", "make",
    "makes", "write", "writes", "add", "create", "set", "use", "using", "give", "tell", "show", "explain", "say",
    "says", "saying", "said", "think", "thinks", "believe", "guess", "hope", "wish", "want", "wants", "need", "needs",
    "sure", "try", "tries", "ensure", "consider", "remember", "imagine", "suppose", "assume", "pretend", "generate",
    "find", "get", "put", "keep", "let", "run", "go", "check", "see", "look", "ask", "asks", "asking", "asked",
    "know", "knows", "like", "likes", "feel", "feels", "mean", "means", "seem", "seems", "ignore", "translate",
    "summarize", "maybe", "perhaps", "probably", "possibly", "hopefully", "either", "neither", "both", "each",
    "every", "any", "some", "many", "most", "few", "such", "being", "been", "having", "depending", "depends",
    "assuming", "where's", "what's", "how's", "who's", "to", "by", "from", "until", "during", "while",
})  # fmt: skip
"""Words that a subject never holds: then it is a sentence, or no statement."""

IMPERATIVES: Final = frozenset({
    "bump", "undo", "redo", "book", "reserve", "pay", "cancel", "ping", "crop", "resize", "rotate", "zip", "unzip",
    "encrypt", "decrypt", "mute", "archive", "pin", "assign", "ship", "retry", "rerun", "rebuild", "redeploy",
    "refresh", "swap", "shift", "align", "center", "indent", "lint", "sync", "fork", "rebase", "squash", "stash",
    "compress", "collapse", "erase", "rollback", "escape", "sanitize", "paraphrase", "dockerize", "annotate", "add",
    "adjust", "allow", "analyse", "analyze", "answer", "append", "apply", "ask", "avoid", "browse", "build",
    "calculate", "call", "change", "check", "choose", "clean", "clear", "click", "clone", "close", "commit",
    "compare", "compile", "compute", "configure", "confirm", "connect", "consider", "convert", "copy", "correct",
    "create", "debug", "decide", "define", "delete", "deploy", "describe", "design", "develop", "disable", "display",
    "do", "double", "download", "draft", "draw", "drop", "edit", "elaborate", "enable", "ensure", "estimate",
    "evaluate", "execute", "expand", "explain", "explore", "export", "extend", "extract", "fetch", "fill", "find",
    "finish", "fix", "follow", "format", "gather", "generate", "get", "give", "go", "grab", "help", "hide",
    "highlight", "identify", "implement", "import", "improve", "include", "increase", "insert", "inspect", "install",
    "integrate", "introduce", "investigate", "invite", "join", "keep", "launch", "let", "list", "load", "log", "look",
    "lower", "make", "mark", "merge", "migrate", "mock", "modify", "monitor", "move", "name", "note", "offer", "open",
    "optimise", "optimize", "order", "organise", "organize", "outline", "paste", "pick", "place", "plan", "play",
    "polish", "post", "prepare", "prepend", "press", "print", "prove", "provide", "publish", "pull", "push", "put",
    "rank", "rate", "read", "recommend", "record", "reduce", "refactor", "reformat", "register", "reload", "remember",
    "remind", "remove", "rename", "render", "reorder", "repeat", "rephrase", "replace", "reply", "report", "research",
    "reset", "resolve", "respond", "restart", "restore", "return", "revert", "review", "revise", "rewrite", "run",
    "save", "scan", "schedule", "search", "select", "send", "set", "share", "shorten", "show", "simplify", "sketch",
    "skip", "solve", "sort", "split", "start", "state", "stop", "style", "submit", "suggest", "sum", "summarise",
    "summarize", "switch", "take", "talk", "tell", "test", "tidy", "track", "train", "transform", "translate", "trim",
    "try", "turn", "update", "upgrade", "upload", "use", "validate", "verify", "visit", "wait", "walk", "watch",
    "wrap", "write", "act", "pretend", "imagine", "suppose", "assume", "teach", "simulate", "proofread", "brainstorm",
    "continue", "imitate",
})  # fmt: skip
"""First words of a sentence that asks for something to be done."""

STATES: Final = frozenset({
    "on", "off", "enabled", "disabled", "true", "false", "deprecated", "protected", "read-only", "readonly", "public",
    "private", "required", "optional", "debug", "info", "warn", "warning", "error", "verbose", "trunk", "main",
    "master", "unlimited", "active", "inactive", "archived", "frozen", "locked", "encrypted", "open-source",
    "mandatory", "null", "none", "daily", "weekly", "monthly", "hourly", "nightly",
})  # fmt: skip
"""Values that are no numbers or names and still answer a question."""

TOOLS: Final = frozenset({
    "postgres", "postgresql", "mysql", "mariadb", "sqlite", "oracle", "mongodb", "mongo", "redis", "memcached",
    "cassandra", "cockroachdb", "dynamodb", "elasticsearch", "opensearch", "clickhouse", "duckdb", "snowflake",
    "bigquery", "neo4j", "kafka", "rabbitmq", "nats", "sqs", "pulsar", "celery", "sidekiq", "temporal", "airflow",
    "dagster", "dbt", "spark", "flink", "hadoop", "docker", "podman", "kubernetes", "k8s", "helm", "terraform",
    "pulumi", "ansible", "chef", "puppet", "nginx", "apache", "caddy", "traefik", "haproxy", "envoy", "istio", "aws",
    "azure", "gcp", "heroku", "vercel", "netlify", "cloudflare", "digitalocean", "linode", "hetzner", "jenkins",
    "buildkite", "circleci", "travis", "github", "gitlab", "bitbucket", "jira", "linear", "notion", "slack",
    "discord", "teams", "django", "flask", "fastapi", "rails", "laravel", "spring", "express", "nestjs", "nextjs",
    "nuxt", "react", "vue", "angular", "svelte", "sveltekit", "remix", "solid", "astro", "ember", "jquery",
    "tailwind", "bootstrap", "webpack", "vite", "rollup", "esbuild", "turborepo", "pnpm", "npm", "yarn", "bun",
    "deno", "node", "python", "ruby", "java", "kotlin", "scala", "go", "golang", "rust", "swift", "elixir", "erlang",
    "haskell", "clojure", "php", "perl", "typescript", "javascript", "dart", "flutter", "electron", "qt", "unity",
    "unreal", "godot", "pytorch", "tensorflow", "keras", "jax", "sklearn", "pandas", "numpy", "polars", "poetry",
    "pip", "uv", "conda", "ubuntu", "debian", "fedora", "centos", "alpine", "linux", "windows", "macos", "android",
    "ios", "grafana", "prometheus", "datadog", "sentry", "newrelic", "splunk", "kibana", "loki", "stripe", "adyen",
    "paypal", "twilio", "sendgrid", "mailgun", "auth0", "okta", "keycloak", "cognito", "firebase", "supabase", "s3",
    "ec2", "lambda", "rds", "cloudfront", "graphql", "grpc", "rest", "soap", "websocket", "mqtt", "oauth", "saml",
    "jwt", "vault", "consul", "etcd", "zookeeper", "openai", "claude", "gpt", "pytest", "jest", "vitest", "cypress",
    "playwright", "selenium", "junit", "mocha", "eslint", "prettier", "ruff", "mypy", "black", "sonarqube", "argocd",
})  # fmt: skip
"""Names of technology as people write them, without capitals."""

ROLES: Final = frozenset({
    "owner", "lead", "manager", "maintainer", "reviewer", "admin", "administrator", "contact", "cto", "ceo", "cfo",
    "director", "architect", "sponsor", "stakeholder", "supervisor", "coordinator",
})  # fmt: skip
"""What somebody can be to the work."""

TRANSIENT: Final = frozenset({
    "crashes", "fails", "shows", "says", "throws", "breaks", "hangs", "dies", "looks", "seems", "feels", "sounds",
    "means", "makes", "wants", "likes", "gives", "helps", "tells", "knows", "thinks", "complains", "prints", "jumps",
    "does", "goes", "was", "is", "has", "its", "this", "us", "always", "less", "sometimes", "comes", "lets", "works",
    "reads", "states", "claims", "reports", "mentions", "explains", "describes", "plus", "as", "vs", "besides",
})  # fmt: skip
"""Verbs, and words that look like verbs, of what happens now rather than of how things are."""
