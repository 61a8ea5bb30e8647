// Inserts the rows of a loaded study database into a new one, with nothing around the inserts: what `health load` is
// measured against.
//
//     BareInserts SOURCE TARGET RESOURCES_A_TRANSACTION CACHE_SIZE PAGES_OF_LOG
//
// The target has the same tables and indexes and the same settings. The rows of some thousand resources are read, which
// is not timed; then they are inserted in one transaction by statements that are prepared once, table after table, which
// is. Prints one JSON object.
#define _GNU_SOURCE
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The tables that loading fills, and how their rows follow the resources: by the record's number, or in their order.
static const struct { const char *name; int numbered; } tables[] = {
    {"record", 1}, {"record_version", 1}, {"record_term", 1}, {"record_print", 1},
    {"record_text", 1}, {"record_time", 1}, {"record_number", 1}, {"record_part", 1},
    {"encounter_mapping", 0}, {"visit_dimension", 0}, {"observation_fact", 0}, {"warehouse_loaded", 1},
};
enum { table_count = sizeof tables / sizeof *tables };

typedef struct { sqlite3_value **values; size_t count, room; } Rows;

static sqlite3 *source, *target;

static void fail(const char *what) {
    fprintf(stderr, "BareInserts: %s: %s\n", what, sqlite3_errmsg(target ? target : source));
    exit(1);
}

static void run(const char *sql) {
    if (sqlite3_exec(target, sql, 0, 0, 0) != SQLITE_OK) { fail(sql); }
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, 0) != SQLITE_OK) { fail(sql); }
    return statement;
}

static long long number(const char *sql) {
    sqlite3_stmt *statement = prepare(source, sql);
    long long value = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return value;
}

static int is_filled(const char *table) {
    for (int index = 0; index < table_count; index++) {
        if (strcmp(tables[index].name, table) == 0) { return 1; }
    }
    return 0;
}

// The tables and indexes, and the rows that are there before any resource.
static void copy_schema(const char *path) {
    sqlite3_stmt *schema = prepare(source,
        "SELECT sql, type, name FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
        "ORDER BY type DESC");
    while (sqlite3_step(schema) == SQLITE_ROW) { run((const char *)sqlite3_column_text(schema, 0)); }
    sqlite3_finalize(schema);
    char *attach = sqlite3_mprintf("ATTACH %Q AS source", path);
    run(attach);
    sqlite3_free(attach);
    sqlite3_stmt *names = prepare(source,
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    while (sqlite3_step(names) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(names, 0);
        if (is_filled(name)) { continue; }
        char *copy = sqlite3_mprintf("INSERT INTO main.%w SELECT * FROM source.%w", name, name);
        run(copy);
        sqlite3_free(copy);
    }
    sqlite3_finalize(names);
    run("DETACH source");
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void read_rows(sqlite3_stmt *select, long long first, long long last, Rows *rows) {
    rows->count = 0;
    sqlite3_bind_int64(select, 1, first);
    sqlite3_bind_int64(select, 2, last);
    int columns = sqlite3_column_count(select);
    while (sqlite3_step(select) == SQLITE_ROW) {
        if (rows->count + (size_t)columns > rows->room) {
            rows->room = rows->room * 2 + 4096;
            rows->values = realloc(rows->values, rows->room * sizeof *rows->values);
            if (!rows->values) { fail("no memory"); }
        }
        for (int column = 0; column < columns; column++) {
            rows->values[rows->count++] = sqlite3_value_dup(sqlite3_column_value(select, column));
        }
    }
    sqlite3_reset(select);
}

int main(int count, char **words) {
    if (count != 6) {
        fprintf(stderr, "BareInserts SOURCE TARGET RESOURCES_A_TRANSACTION CACHE_SIZE PAGES_OF_LOG\n");
        return 64;
    }
    if (sqlite3_open_v2(words[1], &source, SQLITE_OPEN_READONLY, 0) != SQLITE_OK) { fail(words[1]); }
    if (sqlite3_open(words[2], &target) != SQLITE_OK) { fail(words[2]); }
    run("PRAGMA journal_mode = WAL");
    copy_schema(words[1]);
    run("PRAGMA synchronous = FULL");
    run("PRAGMA foreign_keys = ON");
    char *cache = sqlite3_mprintf("PRAGMA cache_size = %d", atoi(words[4]));
    run(cache);
    sqlite3_free(cache);
    char *log = sqlite3_mprintf("PRAGMA wal_autocheckpoint = %d", atoi(words[5]));
    run(log);
    sqlite3_free(log);

    sqlite3_stmt *select[table_count], *insert[table_count];
    long long largest[table_count];
    Rows rows[table_count] = {0};
    for (int index = 0; index < table_count; index++) {
        const char *key = tables[index].numbered ? "number" : "rowid";
        char *sql = sqlite3_mprintf("SELECT * FROM %w WHERE %s > ? AND %s <= ? ORDER BY %s", tables[index].name, key, key, key);
        select[index] = prepare(source, sql);
        sqlite3_free(sql);
        sql = sqlite3_mprintf("SELECT max(%s) FROM %w", key, tables[index].name);
        largest[index] = number(sql);
        sqlite3_free(sql);
        char places[256] = "?";
        for (int column = 1; column < sqlite3_column_count(select[index]); column++) { strcat(places, ", ?"); }
        sql = sqlite3_mprintf("INSERT INTO %w VALUES (%s)", tables[index].name, places);
        insert[index] = prepare(target, sql);
        sqlite3_free(sql);
    }

    long long resources = largest[0], size = atoll(words[3]), batches = (resources + size - 1) / size, inserted = 0;
    double seconds = 0;
    for (long long batch = 0; batch < batches; batch++) {
        for (int index = 0; index < table_count; index++) {
            long long first = largest[index] * batch / batches, last = largest[index] * (batch + 1) / batches;
            read_rows(select[index], first, last, &rows[index]);
        }
        double begin = now();
        run("BEGIN IMMEDIATE");
        for (int index = 0; index < table_count; index++) {
            int columns = sqlite3_column_count(select[index]);
            for (size_t place = 0; place < rows[index].count; place += (size_t)columns) {
                for (int column = 0; column < columns; column++) {
                    sqlite3_bind_value(insert[index], column + 1, rows[index].values[place + (size_t)column]);
                }
                if (sqlite3_step(insert[index]) != SQLITE_DONE) { fail(tables[index].name); }
                sqlite3_reset(insert[index]);
                inserted++;
            }
        }
        run("COMMIT");
        seconds += now() - begin;
        for (int index = 0; index < table_count; index++) {
            for (size_t place = 0; place < rows[index].count; place++) { sqlite3_value_free(rows[index].values[place]); }
        }
    }
    printf("{\"resources\": %lld, \"rows\": %lld, \"transactions\": %lld, \"seconds\": %.4f}\n", resources, inserted,
           batches, seconds);
    return 0;
}
