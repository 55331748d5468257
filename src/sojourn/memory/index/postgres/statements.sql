-- Every statement that the search index runs on PostgreSQL, by name. `postgres_statements.py` puts in what stands in
-- braces: {scope} is the condition of that name, {vectors} the table of one model's vectors, {dimensions} their size,
-- and {pgvector} the schema that has the extension.

-- name: scope
document.tenant = %(tenant)s
  AND (%(part_ids)s::text[] IS NULL OR document.session_id = ANY (%(part_ids)s::text[]))
  AND (%(part_ids)s::text[] IS NULL OR EXISTS (
        SELECT FROM unnest(%(part_ids)s::text[], %(firsts)s::bigint[], %(lasts)s::bigint[])
            AS part (session_id, first, last)
        WHERE part.session_id = document.session_id AND document.seq BETWEEN part.first AND part.last))
  AND (%(part_ids)s::text[] IS NOT NULL OR NOT session.hidden)
  AND (%(anyone)s::boolean
       OR (%(user_id)s::text IS NULL AND left(session.user_id, 128) IS NULL)
       OR (left(session.user_id, 128) = left(%(user_id)s::text, 128) AND session.user_id = %(user_id)s::text))
  AND (%(project)s::text IS NULL OR session.project = %(project)s::text)
  AND (%(tag)s::text IS NULL OR %(tag)s::text = ANY (session.tags))
  AND (%(kinds)s::text[] IS NULL OR document.kind = ANY (%(kinds)s::text[]))
  AND (%(roles)s::text[] IS NULL OR document.role = ANY (%(roles)s::text[]))
  AND (%(since)s::bigint IS NULL OR document.at >= %(since)s::bigint)
  AND (%(until)s::bigint IS NULL OR document.at <= %(until)s::bigint)

-- name: select_watermarks
SELECT session_id, watermark, epoch FROM search_sessions
WHERE tenant = %(tenant)s AND session_id = ANY (%(session_ids)s::text[]);

-- name: list_sessions
SELECT session_id FROM search_sessions WHERE tenant = %(tenant)s ORDER BY session_id;

-- name: select_next_place
SELECT next_place FROM search_sessions WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- Who adds documents holds this lock together with others; who makes a list of all documents holds it alone.
-- name: move_watermark
UPDATE search_sessions SET
    watermark = %(through)s, epoch = %(epoch)s, user_id = %(user_id)s, project = %(project)s, tags = %(tags)s::text[],
    hidden = %(hidden)s, next_place = greatest(next_place, %(next_place)s)
WHERE tenant = %(tenant)s AND session_id = %(session_id)s AND watermark = %(after)s
RETURNING pg_advisory_xact_lock_shared(hashtextextended('sojourn search ' || current_schema() || ' ' || tenant, 0));

-- name: insert_session
INSERT INTO search_sessions (
    tenant, session_id, watermark, epoch, next_place, user_id, project, tags, hidden)
VALUES (
    %(tenant)s, %(session_id)s, %(through)s, %(epoch)s, %(next_place)s, %(user_id)s, %(project)s, %(tags)s::text[],
    %(hidden)s)
ON CONFLICT DO NOTHING
RETURNING pg_advisory_xact_lock_shared(hashtextextended('sojourn search ' || current_schema() || ' ' || tenant, 0));

-- name: update_session
UPDATE search_sessions SET user_id = %(user_id)s, project = %(project)s, tags = %(tags)s::text[], hidden = %(hidden)s
WHERE tenant = %(tenant)s AND session_id = %(session_id)s
  AND (user_id, project, tags, hidden)
      IS DISTINCT FROM (%(user_id)s::text, %(project)s::text, %(tags)s::text[], %(hidden)s::boolean);

-- name: lock_session
SELECT watermark FROM search_sessions WHERE tenant = %(tenant)s AND session_id = %(session_id)s FOR UPDATE;

-- name: count_documents
UPDATE search_sessions SET documents = documents + %(documents)s, length = length + %(length)s
WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: lock_sessions
SELECT watermark FROM search_sessions WHERE tenant = %(tenant)s ORDER BY session_id FOR UPDATE;

-- name: delete_session
DELETE FROM search_sessions WHERE tenant = %(tenant)s AND session_id = %(session_id)s;

-- name: insert_documents
INSERT INTO search_documents (
    tenant, session_id, seq, kind, role, speaker, place, fact_id, at, text, words, grams, length)
SELECT %(tenant)s, %(session_id)s, seq, kind, role, speaker, place, fact_id, at, text,
       to_tsvector('search_words', words), string_to_array(nullif(grams, ''), ' '), length
FROM unnest(
    %(seqs)s::bigint[], %(kinds)s::text[], %(roles)s::text[], %(speakers)s::text[], %(places)s::bigint[],
    %(fact_ids)s::bytea[], %(ats)s::bigint[], %(texts)s::text[], %(words)s::text[], %(grams)s::text[],
    %(lengths)s::bigint[]
) WITH ORDINALITY AS given (seq, kind, role, speaker, place, fact_id, at, text, words, grams, length, turn)
ORDER BY turn
RETURNING number, at;

-- name: delete_documents
DELETE FROM search_documents
WHERE tenant = %(tenant)s AND session_id = %(session_id)s AND seq = ANY (%(seqs)s::bigint[])
RETURNING length;

-- name: delete_documents_of_facts
DELETE FROM search_documents
WHERE tenant = %(tenant)s AND session_id = %(session_id)s AND fact_id IS NOT NULL
  AND sha256(fact_id) = ANY (ARRAY(SELECT sha256(fact_id) FROM unnest(%(fact_ids)s::bytea[]) AS given (fact_id)))
RETURNING length;

-- name: delete_all_documents
DELETE FROM search_documents
WHERE tenant = %(tenant)s AND (%(session_id)s::text IS NULL OR session_id = %(session_id)s);

-- name: delete_all_sessions
DELETE FROM search_sessions WHERE tenant = %(tenant)s;

-- name: put_facts
INSERT INTO search_facts (tenant, session_id, fact_id, slot, scope, confidence, updated_at, evidence, fact)
VALUES (%(tenant)s, %(session_id)s, %(fact_id)s, %(slot)s, %(scope)s, %(confidence)s, %(updated_at)s,
        %(evidence)s::bigint[], %(fact)s)
ON CONFLICT (tenant, session_id, digest) DO UPDATE SET
    slot = excluded.slot, scope = excluded.scope, confidence = excluded.confidence, updated_at = excluded.updated_at,
    evidence = excluded.evidence, fact = excluded.fact;

-- name: delete_facts
DELETE FROM search_facts
WHERE tenant = %(tenant)s AND session_id = %(session_id)s AND evidence && %(seqs)s::bigint[]
RETURNING fact_id;

-- name: delete_all_facts
DELETE FROM search_facts
WHERE tenant = %(tenant)s AND (%(session_id)s::text IS NULL OR session_id = %(session_id)s);

-- name: select_fact
SELECT session_id, user_id, project, fact FROM search_facts JOIN search_sessions USING (tenant, session_id)
WHERE tenant = %(tenant)s AND session_id = %(session_id)s AND digest = sha256(%(fact_id)s);

-- name: select_facts
SELECT session_id, user_id, project, fact FROM search_facts JOIN search_sessions AS session USING (tenant, session_id)
WHERE tenant = %(tenant)s
  AND (%(session_id)s::text IS NULL OR session_id = %(session_id)s::text)
  AND (%(user_id)s::text IS NULL
       OR (left(session.user_id, 128) = left(%(user_id)s::text, 128) AND session.user_id = %(user_id)s::text))
  AND (%(project)s::text IS NULL OR session.project = %(project)s::text)
  AND (%(scopes)s::text[] IS NULL OR scope = ANY (%(scopes)s::text[]))
  AND (%(slot)s::bytea IS NULL OR (slot IS NOT NULL AND sha256(slot) = sha256(%(slot)s::bytea)))
  AND (%(fact_id)s::bytea IS NULL OR digest = sha256(%(fact_id)s::bytea))
  AND confidence >= %(min_confidence)s
ORDER BY updated_at DESC, digest
LIMIT %(limit)s;

-- name: select_documents
SELECT number, session_id, seq, kind, role, speaker, place, fact_id, at, text
FROM unnest(%(numbers)s::bigint[]) WITH ORDINALITY AS asked (number, turn)
JOIN search_documents AS document USING (number)
WHERE tenant = %(tenant)s
ORDER BY turn;

-- name: select_neighbours
SELECT document.number, near.number, near.session_id, near.seq, near.kind, near.role, near.speaker, near.place,
       near.fact_id, near.at, near.text
FROM unnest(%(numbers)s::bigint[]) AS asked (number)
JOIN search_documents AS document ON document.tenant = %(tenant)s AND document.number = asked.number
JOIN search_documents AS near ON near.tenant = document.tenant AND near.session_id = document.session_id
    AND near.place BETWEEN document.place - %(before)s AND document.place + %(after)s
    AND near.number <> document.number
ORDER BY document.number, near.place;

-- name: sum_documents
SELECT coalesce(sum(documents), 0)::bigint, coalesce(sum(length), 0)::bigint
FROM search_sessions WHERE tenant = %(tenant)s;

-- In a large index the common words are known from statistics; what is not among them is rare enough to be counted.
-- name: weigh_words
WITH asked AS MATERIALIZED (
    SELECT place, query, btrim(query::text, '''') AS lexeme
    FROM unnest(%(words)s::text[], %(prefixes)s::boolean[]) WITH ORDINALITY AS given (word, is_prefix, place)
    CROSS JOIN LATERAL (
        SELECT CASE WHEN is_prefix THEN to_tsquery('search_words', word) || to_tsquery('simple', word)
                    ELSE to_tsquery('search_words', word) END
    ) AS read (query)
    WHERE numnode(query) > 0
), common AS MATERIALIZED (
    SELECT word, frequency
    FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS common (word, frequency)
    WHERE schemaname = current_schema() AND tablename = 'search_documents' AND attname = 'words'
      AND word = ANY (ARRAY(SELECT lexeme FROM asked)) AND %(total)s > %(few)s
)
SELECT asked.place, asked.query::text, coalesce(
    (SELECT (frequency * %(total)s)::bigint FROM common WHERE common.word = asked.lexeme),
    (SELECT count(*) FROM (
        SELECT FROM search_documents AS document
        WHERE document.tenant = %(tenant)s AND document.words @@ asked.query
        LIMIT %(most)s) AS held))
FROM asked
ORDER BY asked.place;

-- BM25 (k1 = 1.2, b = 0.75). ts_rank with equal weights is the sum of 1/i^2 for i = 1 ... n, divided by 1.644934, where
-- n is how often the word stands in the text; so n is very nearly 1 / (1.644934 - sum) - 0.5.
-- name: match
WITH asked AS MATERIALIZED (
    SELECT query::tsquery AS query, weight
    FROM unnest(%(queries)s::text[], %(weights)s::double precision[]) AS given (query, weight)
)
SELECT candidate.number, scored.score
FROM (
    SELECT document.number, document.words, document.length
    FROM search_documents AS document
    JOIN search_sessions AS session ON session.tenant = document.tenant AND session.session_id = document.session_id
    WHERE {scope}
      AND document.words @@ %(any)s::tsquery
    LIMIT %(most)s
) AS candidate
CROSS JOIN LATERAL (
    SELECT sum(weight * 2.2 * times / (times + 0.3 + 0.9 * candidate.length / %(average)s::double precision)) AS score
    FROM asked
    CROSS JOIN LATERAL (
        SELECT greatest(1, 1 / (1.644934 * (1 - least(ts_rank('{1,1,1,1}', candidate.words, asked.query), 0.97))) - 0.5)
    ) AS counted (times)
    WHERE candidate.words @@ asked.query
) AS scored
ORDER BY scored.score DESC, candidate.number DESC
LIMIT %(limit)s;

-- name: weigh_parts
SELECT (SELECT count(*) FROM (
            SELECT FROM search_documents AS document
            WHERE document.tenant = %(tenant)s AND document.grams @> string_to_array(asked.grams, ' ')
              AND document.grams IS NOT NULL
            LIMIT %(most)s) AS held)
FROM unnest(%(grams)s::text[]) WITH ORDINALITY AS asked (grams, place)
ORDER BY asked.place;

-- name: match_parts
SELECT document.number, sum(asked.weight) / (1.3 + 0.9 * document.length / %(average)s::double precision) AS score,
       document.text
FROM unnest(%(grams)s::text[], %(weights)s::double precision[]) AS asked (grams, weight)
JOIN search_documents AS document ON document.grams @> string_to_array(asked.grams, ' ') AND document.grams IS NOT NULL
JOIN search_sessions AS session ON session.tenant = document.tenant AND session.session_id = document.session_id
WHERE {scope}
GROUP BY document.tenant, document.number
ORDER BY score DESC, document.number DESC
LIMIT %(limit)s;

-- name: find_pgvector
SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
       coalesce((SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector'),
                to_regnamespace('public')::text, quote_ident(current_schema())),
       EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector');

-- name: create_pgvector
CREATE EXTENSION IF NOT EXISTS vector SCHEMA {pgvector};

-- name: find_model
SELECT model.number, model.begins, model.vectors, vectors.dimensions
FROM search_models AS model LEFT JOIN search_vector_tables AS vectors ON vectors.number = model.vectors
WHERE model.tenant = %(tenant)s AND model.model = %(model)s;

-- name: lock_model
SELECT number FROM search_models WHERE tenant = %(tenant)s AND model = %(model)s FOR NO KEY UPDATE;

-- name: lock_documents
SELECT pg_advisory_xact_lock(hashtextextended('sojourn search ' || current_schema() || ' ' || %(tenant)s, 0));

-- name: insert_model
INSERT INTO search_models (tenant, model, begins)
SELECT %(tenant)s, %(model)s, coalesce(max(number) + 1, 0) FROM search_documents WHERE tenant = %(tenant)s
ON CONFLICT DO NOTHING;

-- name: queue_more
WITH queued AS (
    INSERT INTO search_unembedded (tenant, model, number, at)
    SELECT tenant, %(model_number)s, number, at FROM search_documents
    WHERE tenant = %(tenant)s AND number < %(begins)s
    ORDER BY number DESC
    LIMIT %(limit)s
    RETURNING number
)
SELECT coalesce(min(number), 0) FROM queued;

-- name: move_beginning
UPDATE search_models SET begins = %(begins)s WHERE tenant = %(tenant)s AND number = %(model_number)s;

-- name: queue_documents
INSERT INTO search_unembedded (tenant, model, number, at)
SELECT model.tenant, model.number, document.number, document.at
FROM search_models AS model
CROSS JOIN unnest(%(numbers)s::bigint[], %(ats)s::bigint[]) AS document (number, at)
WHERE model.tenant = %(tenant)s;

-- name: select_queue
SELECT document.number, document.text
FROM search_unembedded AS waiting
JOIN search_documents AS document ON document.tenant = waiting.tenant AND document.number = waiting.number
WHERE waiting.tenant = %(tenant)s AND waiting.model = %(model_number)s
ORDER BY waiting.at DESC, waiting.number DESC
LIMIT %(limit)s;

-- name: leave_queue
DELETE FROM search_unembedded
WHERE tenant = %(tenant)s AND model = %(model_number)s AND number = ANY (%(numbers)s::bigint[]);

-- name: find_vector_table
SELECT number FROM search_vector_tables WHERE model = %(model)s AND dimensions = %(dimensions)s FOR KEY SHARE;

-- name: insert_vector_table
INSERT INTO search_vector_tables (model, dimensions) VALUES (%(model)s, %(dimensions)s)
ON CONFLICT DO NOTHING RETURNING number;

-- name: create_vectors
CREATE TABLE {vectors} (
    tenant text   COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    chunk  bigint NOT NULL,
    vector {pgvector}.halfvec({dimensions}) NOT NULL,
    PRIMARY KEY (tenant, number, chunk),
    FOREIGN KEY (tenant, number) REFERENCES search_documents (tenant, number) ON DELETE CASCADE
);

-- name: create_vectors_index
CREATE INDEX ON {vectors} USING hnsw (vector {pgvector}.halfvec_cosine_ops);

-- name: set_vector_table
UPDATE search_models SET vectors = %(vectors)s WHERE tenant = %(tenant)s AND model = %(model)s;

-- name: delete_vectors
DELETE FROM {vectors} WHERE tenant = %(tenant)s AND number = ANY (%(numbers)s::bigint[]);

-- name: insert_vectors
INSERT INTO {vectors} (tenant, number, chunk, vector)
SELECT document.tenant, document.number, given.chunk, given.vector::{pgvector}.halfvec
FROM unnest(%(numbers)s::bigint[], %(chunks)s::bigint[], %(vectors)s::text[]) AS given (number, chunk, vector)
JOIN search_documents AS document ON document.tenant = %(tenant)s AND document.number = given.number
FOR KEY SHARE OF document;

-- name: count_vectors
SELECT count(*) FROM {vectors} WHERE tenant = %(tenant)s;

-- name: delete_all_vectors
DELETE FROM {vectors} WHERE tenant = %(tenant)s;

-- name: list_models
SELECT model, vectors FROM search_models WHERE tenant = %(tenant)s AND model <> ALL (%(models)s::text[]) FOR UPDATE;

-- name: list_vector_tables
SELECT vectors FROM search_models WHERE tenant = %(tenant)s AND vectors IS NOT NULL;

-- name: delete_models
DELETE FROM search_models WHERE tenant = %(tenant)s AND model <> ALL (%(models)s::text[]);

-- name: delete_vector_tables
DELETE FROM search_vector_tables AS unused
WHERE number = ANY (%(numbers)s::bigint[]) AND NOT EXISTS (SELECT FROM search_models WHERE vectors = unused.number)
RETURNING number;

-- name: drop_vectors
DROP TABLE {vectors};

-- name: count_scope
SELECT count(*) FROM (
    SELECT FROM search_documents AS document
    JOIN search_sessions AS session ON session.tenant = document.tenant AND session.session_id = document.session_id
    WHERE {scope}
    LIMIT %(most)s) AS counted;

-- name: nearest_of_few
SELECT vector.number, max(1 - (vector.vector OPERATOR({pgvector}.<=>) %(vector)s::{pgvector}.halfvec)) AS score
FROM search_documents AS document
JOIN search_sessions AS session ON session.tenant = document.tenant AND session.session_id = document.session_id
JOIN {vectors} AS vector ON vector.tenant = document.tenant AND vector.number = document.number
WHERE {scope}
GROUP BY vector.number
ORDER BY score DESC, vector.number DESC
LIMIT %(limit)s;

-- name: scan_on
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.ef_search', %(width)s::text, true),
       set_config('hnsw.max_scan_tuples', %(most)s::text, true);

-- name: nearest_of_many
SELECT vector.number, 1 - (vector.vector OPERATOR({pgvector}.<=>) %(vector)s::{pgvector}.halfvec) AS score
FROM {vectors} AS vector
JOIN search_documents AS document ON document.tenant = vector.tenant AND document.number = vector.number
JOIN search_sessions AS session ON session.tenant = document.tenant AND session.session_id = document.session_id
WHERE {scope}
ORDER BY vector.vector OPERATOR({pgvector}.<=>) %(vector)s::{pgvector}.halfvec
LIMIT %(limit)s;

-- name: compare_vectors
SELECT number, max(1 - (vector OPERATOR({pgvector}.<=>) %(vector)s::{pgvector}.halfvec))
FROM {vectors}
WHERE tenant = %(tenant)s AND number = ANY (%(numbers)s::bigint[])
GROUP BY number;

-- name: closest_vectors
SELECT DISTINCT ON (number) number, vector::text
FROM {vectors}
WHERE tenant = %(tenant)s AND number = ANY (%(numbers)s::bigint[])
ORDER BY number, vector OPERATOR({pgvector}.<=>) %(vector)s::{pgvector}.halfvec, chunk;
