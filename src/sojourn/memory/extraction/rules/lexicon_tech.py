"""Programming languages, frameworks and other technology, as people write them and as they are spelled."""

from typing import Final

from sojourn.memory.extraction.rules.lexicon import phrases, words

_LANGUAGES: Final = (
    "Python JavaScript TypeScript Java Kotlin Swift Rust Go C C++ C# F# Ruby PHP Perl Scala Haskell Elixir Erlang "
    "Clojure Lua Julia R MATLAB Dart Groovy Fortran COBOL Ada Assembly OCaml Elm Zig Nim Crystal Lisp Scheme "
    "Prolog SQL Bash PowerShell Objective-C VBA Solidity Apex Racket Smalltalk Pascal Delphi HTML CSS VB.NET "
    "GDScript Verilog VHDL"
)
_FRAMEWORKS: Final = (
    "React Angular Vue Svelte Next.js Nuxt Remix Astro Gatsby Ember Backbone jQuery Django Flask FastAPI "
    "Starlette Tornado Pyramid Rails Sinatra Laravel Symfony CodeIgniter CakePHP Spring Quarkus Micronaut Express "
    "NestJS Koa Fastify Hapi Meteor Phoenix ASP.NET .NET Blazor Xamarin MAUI Flutter Ionic Electron Tauri Qt "
    "Unity Unreal Godot PyTorch TensorFlow Keras JAX scikit-learn pandas NumPy LangChain LlamaIndex Streamlit "
    "Gradio Tailwind Bootstrap SolidJS Qwik htmx Alpine.js Gin Echo Fiber Actix Axum Rocket Ktor Play Akka Spark "
    "Hadoop Celery Airflow dbt pytest Jest Cypress Playwright Selenium Redux GraphQL SwiftUI UIKit Bevy Pygame "
    "LangGraph Dask Polars SQLAlchemy Pydantic Three.js D3 Prisma Hibernate Vaadin Struts"
)
_OTHER: Final = (
    "PostgreSQL MySQL MariaDB SQLite MongoDB Redis Memcached Cassandra DynamoDB Firestore Firebase Supabase "
    "Elasticsearch OpenSearch Neo4j ClickHouse Snowflake BigQuery Redshift Kafka RabbitMQ NATS Docker Kubernetes "
    "Terraform Ansible Helm AWS Azure GCP Heroku Vercel Netlify Cloudflare Nginx Apache Linux Node.js Node Deno "
    "Bun Webpack Vite Jenkins Prometheus Grafana Lambda S3 EC2 Fargate Pulumi pgvector Pinecone Weaviate Qdrant "
    "Chroma Milvus Oracle Databricks CockroachDB Stripe Git GitLab CircleCI"
)
_SPELLED: Final = {
    "golang": "Go", "js": "JavaScript", "ts": "TypeScript", "py": "Python", "python3": "Python", "cpp": "C++",
    "csharp": "C#", "c sharp": "C#", "ruby on rails": "Rails", "reactjs": "React", "react.js": "React",
    "vuejs": "Vue", "vue.js": "Vue", "nextjs": "Next.js", "next": "Next.js", "nuxt.js": "Nuxt", "nodejs": "Node.js",
    "angularjs": "Angular", "postgres": "PostgreSQL", "mongo": "MongoDB", "k8s": "Kubernetes",
    "spring boot": "Spring Boot", "react native": "React Native", "express.js": "Express", "expressjs": "Express",
    "sveltekit": "SvelteKit", "sklearn": "scikit-learn", "tailwindcss": "Tailwind", "tailwind css": "Tailwind",
    "visual basic": "Visual Basic", "asp.net core": "ASP.NET Core", "dotnet": ".NET", "objective c": "Objective-C",
    "rust lang": "Rust", "threejs": "Three.js", "html5": "HTML", "css3": "CSS",
    "google cloud": "GCP", "amazon web services": "AWS", "elastic": "Elasticsearch", "d3.js": "D3",
}  # fmt: skip
_SPELLED_LANGUAGES: Final = phrases(
    "golang;js;ts;py;python3;cpp;csharp;c sharp;visual basic;objective c;rust lang;html5;css3"
)
_SPELLED_OTHER: Final = phrases("nodejs;postgres;mongo;k8s;google cloud;amazon web services;elastic")


def _table(names: str) -> dict[str, str]:
    return {name.lower(): name for name in names.split()}


LANGUAGES: Final = _table(_LANGUAGES) | {key: _SPELLED[key] for key in _SPELLED_LANGUAGES}
FRAMEWORKS: Final = _table(_FRAMEWORKS) | {
    key: name for key, name in _SPELLED.items() if key not in _SPELLED_LANGUAGES | _SPELLED_OTHER
}
OTHER: Final = _table(_OTHER) | {key: _SPELLED[key] for key in _SPELLED_OTHER}
TECHNOLOGY: Final = OTHER | FRAMEWORKS | LANGUAGES
"""Every name, in lower case, with its spelling."""

COMMON_WORDS: Final = words(
    "go c r ada crystal swift java ruby julia lua dart scheme elm nim pascal apex racket assembly express next spring "
    "play echo fiber gin rocket spark unity flask phoenix ember backbone pyramid koa electron helm node git lambda "
    "oracle apache bun chroma jest cypress celery remix astro rails django angular shell elastic stripe streamlit qt "
    "bootstrap alpine polars rust python react d3"
)
"""Names that are also words or things: they count only beside words about programming, or in a list with others."""
