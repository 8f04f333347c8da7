# SPDX-License-Identifier: Apache-2.0
"""Rows in bulk, so that a database has the size of one in use.

Measurements of a small table say little about PostgreSQL: it reads such a table as a whole, so all transactions
conflict.
"""


def identifier(kind):
    """A random-looking id that belongs to the number n."""
    return f"md5('{kind}' || n)::uuid::text"


def digest(kind):
    return f"sha256(convert_to('{kind}' || n, 'UTF8'))"


def multiply(cluster, table, count, changes, where="TRUE"):
    """Adds copies of one row of a table, for the numbers n from 1 to `count`.

    table: its schema and name. changes: the columns that differ, as expressions over n and the row `model`."""
    schema, name = table.split(".")
    columns = [row[0] for row in cluster.sql(
        f"SELECT column_name FROM information_schema.columns WHERE table_schema = '{schema}' AND table_name = '{name}' "
        "ORDER BY ordinal_position")]
    quoted = ", ".join(f'"{column}"' for column in columns)
    values = ", ".join(changes.get(column, f'model."{column}"') for column in columns)
    cluster.sql(f"INSERT INTO {schema}.\"{name}\" ({quoted}) SELECT {values} "
                f'FROM (SELECT * FROM {schema}."{name}" WHERE {where} LIMIT 1) AS model, generate_series(1, {count}) AS n')


def fill(cluster, count):
    """Adds people, each with a session and a refresh token, and as many accepted requests."""
    multiply(cluster, "identity.person", count, {
        "id": identifier("person"), "loginName": "'worker' || n || '@bench.test'",
        "userPrincipalName": "'worker' || n || '@bench.test'"})
    multiply(cluster, "identity.session", count, {"id": identifier("session"), "person": identifier("person")})
    multiply(cluster, "identity.refreshToken", count, {
        "hash": digest("token"), "family": identifier("family"), "session": identifier("session"), "generation": "0"})
    multiply(cluster, "identity.acceptedRequest", count, {"digest": digest("request")})
    cluster.sql("VACUUM ANALYZE")
