"""An i2b2 1.8 that somebody else made: its tables, with a hospital's rows in them, in a database of PostgreSQL."""

import uuid

import postgresql

DATA = "i2b2demodata"
METADATA = "i2b2metadata"
AUDIT = "update_date timestamp, download_date timestamp, import_date timestamp, sourcesystem_cd varchar(50)"
CONCEPT = """c_hlevel int NOT NULL, c_fullname varchar(700) NOT NULL, c_name varchar(2000) NOT NULL,
    c_synonym_cd char(1) NOT NULL, c_visualattributes char(3) NOT NULL, c_totalnum int, c_basecode varchar(50),
    c_metadataxml text, c_facttablecolumn varchar(50) NOT NULL"""

# The columns, keys and indexes of i2b2 1.8's crc_create_datamart, crc_create_uploader and metadata scripts.
TABLES = {
    DATA: f"""
CREATE TABLE observation_fact (encounter_num int NOT NULL, patient_num int NOT NULL, concept_cd varchar(50) NOT NULL,
    provider_id varchar(50) NOT NULL, start_date timestamp NOT NULL, modifier_cd varchar(100) DEFAULT '@' NOT NULL,
    instance_num int DEFAULT 1 NOT NULL, valtype_cd varchar(50), tval_char varchar(255), nval_num decimal(18,5),
    valueflag_cd varchar(50), quantity_num decimal(18,5), units_cd varchar(50), end_date timestamp,
    location_cd varchar(50), observation_blob text, confidence_num decimal(18,5), {AUDIT}, upload_id int,
    text_search_index serial, CONSTRAINT observation_fact_pk PRIMARY KEY
    (patient_num, concept_cd, modifier_cd, start_date, encounter_num, instance_num, provider_id));
CREATE INDEX of_idx_clusteredconcept ON observation_fact (concept_cd);
CREATE INDEX of_idx_encounter_patient ON observation_fact (encounter_num, patient_num, instance_num);
CREATE INDEX of_idx_sourcesystem_cd ON observation_fact (sourcesystem_cd);
CREATE INDEX of_idx_start_date ON observation_fact (start_date, patient_num);
CREATE INDEX of_idx_uploadid ON observation_fact (upload_id);
CREATE UNIQUE INDEX of_text_search_unique ON observation_fact (text_search_index);
CREATE TABLE patient_dimension (patient_num int PRIMARY KEY, vital_status_cd varchar(50), birth_date timestamp,
    death_date timestamp, sex_cd varchar(50), age_in_years_num int, language_cd varchar(50), race_cd varchar(50),
    marital_status_cd varchar(50), religion_cd varchar(50), zip_cd varchar(10), statecityzip_path varchar(700),
    income_cd varchar(50), patient_blob text, {AUDIT}, upload_id int);
CREATE TABLE visit_dimension (encounter_num int NOT NULL, patient_num int NOT NULL, active_status_cd varchar(50),
    start_date timestamp, end_date timestamp, inout_cd varchar(50), location_cd varchar(50), location_path varchar(900),
    length_of_stay int, visit_blob text, {AUDIT}, upload_id int, PRIMARY KEY (encounter_num, patient_num));
CREATE TABLE concept_dimension (concept_path varchar(700) PRIMARY KEY, concept_cd varchar(50), name_char varchar(2000),
    concept_blob text, {AUDIT}, upload_id int);
CREATE TABLE modifier_dimension (modifier_path varchar(700) PRIMARY KEY, modifier_cd varchar(50),
    name_char varchar(2000), modifier_blob text, {AUDIT}, upload_id int);
CREATE TABLE provider_dimension (provider_id varchar(50) NOT NULL, provider_path varchar(700) NOT NULL,
    name_char varchar(850), provider_blob text, {AUDIT}, upload_id int, PRIMARY KEY (provider_path, provider_id));
CREATE TABLE patient_mapping (patient_ide varchar(200) NOT NULL, patient_ide_source varchar(50) NOT NULL,
    patient_num int NOT NULL, patient_ide_status varchar(50), project_id varchar(50) NOT NULL, upload_date timestamp,
    {AUDIT}, upload_id int, PRIMARY KEY (patient_ide, patient_ide_source, project_id));
CREATE INDEX pm_patnum_idx ON patient_mapping (patient_num);
CREATE TABLE encounter_mapping (encounter_ide varchar(200) NOT NULL, encounter_ide_source varchar(50) NOT NULL,
    project_id varchar(50) NOT NULL, encounter_num int NOT NULL, patient_ide varchar(200) NOT NULL,
    patient_ide_source varchar(50) NOT NULL, encounter_ide_status varchar(50), upload_date timestamp, {AUDIT},
    upload_id int, PRIMARY KEY (encounter_ide, encounter_ide_source, project_id, patient_ide, patient_ide_source));
CREATE INDEX em_encnum_idx ON encounter_mapping (encounter_num);
CREATE TABLE code_lookup (table_cd varchar(100) NOT NULL, column_cd varchar(100) NOT NULL, code_cd varchar(50) NOT NULL,
    name_char varchar(650), lookup_blob text, upload_date timestamp, {AUDIT}, upload_id int,
    PRIMARY KEY (table_cd, column_cd, code_cd));
CREATE TABLE upload_status (upload_id serial PRIMARY KEY, upload_label varchar(500) NOT NULL, user_id varchar(100) NOT NULL,
    source_cd varchar(50) NOT NULL, no_of_record bigint, loaded_record bigint, deleted_record bigint,
    load_date timestamp NOT NULL, end_date timestamp, load_status varchar(100), message text, input_file_name text,
    log_file_name text, transform_name varchar(500));
""",
    METADATA: f"""
CREATE TABLE custom_meta ({CONCEPT}, c_tablename varchar(50) NOT NULL, c_columnname varchar(50) NOT NULL,
    c_columndatatype varchar(50) NOT NULL, c_operator varchar(10) NOT NULL, c_dimcode varchar(700) NOT NULL, c_comment text,
    c_tooltip varchar(900), m_applied_path varchar(700) NOT NULL, update_date timestamp NOT NULL, download_date timestamp,
    import_date timestamp, sourcesystem_cd varchar(50), valuetype_cd varchar(50), m_exclusion_cd varchar(25),
    c_path varchar(700), c_symbol varchar(50));
CREATE INDEX meta_fullname_custom_idx ON custom_meta (c_fullname);
CREATE INDEX meta_applied_path_custom_idx ON custom_meta (m_applied_path);
CREATE TABLE table_access (c_table_cd varchar(50) NOT NULL, c_table_name varchar(50) NOT NULL,
    c_protected_access char(1), c_ontology_protection text, {CONCEPT}, c_dimtablename varchar(50) NOT NULL,
    c_columnname varchar(50) NOT NULL, c_columndatatype varchar(50) NOT NULL, c_operator varchar(10) NOT NULL,
    c_dimcode varchar(700) NOT NULL, c_comment text, c_tooltip varchar(900), c_entry_date timestamp,
    c_change_date timestamp, c_status_cd char(1), valuetype_cd varchar(50));
CREATE TABLE schemes (c_key varchar(50) PRIMARY KEY, c_name varchar(50) NOT NULL, c_description varchar(100));
"""}

# A hospital's: people who are not of the study, some with codes and numbers that a study would have too.
ROWS = {
    DATA: """
INSERT INTO patient_mapping SELECT 'H' || n, 'HOSP', n, 'A', '@', now(), now(), now(), now(), 'HOSP', 1
    FROM generate_series(1, 20) n;
INSERT INTO patient_mapping SELECT n::text, 'HIVE', n, 'A', '@', now(), now(), now(), now(), 'edu.harvard.i2b2.crc', 1
    FROM generate_series(1, 20) n;
INSERT INTO patient_dimension (patient_num, vital_status_cd, birth_date, sex_cd, age_in_years_num, zip_cd, sourcesystem_cd)
    SELECT n, 'N', timestamp '1920-01-01', 'F', 106, '02115', 'HOSP' FROM generate_series(1, 20) n;
INSERT INTO patient_dimension (patient_num, sex_cd, sourcesystem_cd) VALUES (5000, 'M', 'HOSP');
INSERT INTO encounter_mapping SELECT 'E' || n, 'HOSP', '@', n, 'H' || n, 'HOSP', 'A', now(), now(), now(), now(), 'HOSP', 1
    FROM generate_series(1, 20) n;
INSERT INTO visit_dimension (encounter_num, patient_num, start_date, sourcesystem_cd)
    SELECT n, n, timestamp '2020-01-01', 'HOSP' FROM generate_series(1, 20) n;
INSERT INTO visit_dimension (encounter_num, patient_num, start_date, sourcesystem_cd) VALUES (9000, 5000, now(), 'HOSP');
INSERT INTO observation_fact (encounter_num, patient_num, concept_cd, provider_id, start_date, valtype_cd, tval_char,
    nval_num, units_cd, update_date, sourcesystem_cd, upload_id)
    SELECT n, n, 'LOINC:8867-4', '@', timestamp '2020-01-01', 'N', 'E', 70 + n, '/min', now(), 'HOSP', 1
    FROM generate_series(1, 20) n;
INSERT INTO concept_dimension VALUES ('\\Vitals\\Pulse\\', 'LOINC:8867-4', 'Pulse', NULL, now(), now(), now(), 'HOSP', 1);
INSERT INTO upload_status (upload_label, user_id, source_cd, load_date) VALUES ('hospital', 'etl', 'HOSP', now());
INSERT INTO code_lookup (table_cd, column_cd, code_cd, name_char) VALUES ('PATIENT_DIMENSION', 'SEX_CD', 'F', 'Woman');
""",
    METADATA: """
INSERT INTO custom_meta (c_hlevel, c_fullname, c_name, c_synonym_cd, c_visualattributes, c_basecode, c_facttablecolumn,
    c_tablename, c_columnname, c_columndatatype, c_operator, c_dimcode, m_applied_path, update_date, sourcesystem_cd)
    VALUES (0, '\\Vitals\\', 'Vitals', 'N', 'FA ', NULL, 'concept_cd', 'concept_dimension', 'concept_path', 'T', 'LIKE',
        '\\Vitals\\', '@', now(), 'HOSP'),
    (1, '\\Vitals\\Pulse\\', 'Pulse', 'N', 'LA ', 'LOINC:8867-4', 'concept_cd', 'concept_dimension', 'concept_path', 'T',
        'LIKE', '\\Vitals\\Pulse\\', '@', now(), 'HOSP');
INSERT INTO table_access (c_table_cd, c_table_name, c_hlevel, c_fullname, c_name, c_synonym_cd, c_visualattributes,
    c_facttablecolumn, c_dimtablename, c_columnname, c_columndatatype, c_operator, c_dimcode)
    VALUES ('HOSP', 'CUSTOM_META', 0, '\\Vitals\\', 'Vitals', 'N', 'CA ', 'concept_cd', 'concept_dimension', 'concept_path',
        'T', 'LIKE', '\\Vitals\\');
INSERT INTO schemes VALUES ('LOINC:', 'LOINC', 'from the hospital');
"""}

NAMES = {schema: [words.split(" ")[0] for words in text.split("CREATE TABLE ")[1:]] for schema, text in TABLES.items()}


class I2B2:
    """A database with an i2b2 in it, in which texts are ordered as in English; and a role that may write its rows."""

    def __init__(self, server, role="study", name=None):
        """With a `name` in that database, whose role is granted nothing."""
        self.server = server
        self.name = name
        if name:
            self._make()
            return
        server.sql(f"DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{role}') "
                   f"THEN CREATE ROLE {role} LOGIN; END IF; END $$")
        self.name = "i2b2_" + uuid.uuid4().hex[:10]
        server.sql(f"CREATE DATABASE {self.name} TEMPLATE template0 ENCODING UTF8 LOCALE_PROVIDER icu "
                   "ICU_LOCALE 'en-US' LOCALE 'C.UTF-8'")
        server.sql(f"GRANT CREATE ON DATABASE {self.name} TO {role}")
        self._make()
        for schema in TABLES:
            self.sql(f"GRANT USAGE, CREATE ON SCHEMA {schema} TO {role}; "
                     f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}; "
                     f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role};")
        self.url = f"postgresql://{role}@127.0.0.1:{server.port}/{self.name}"

    def _make(self):
        for schema, statements in TABLES.items():
            self.sql(f"CREATE SCHEMA {schema}; SET search_path TO {schema}; {statements} {ROWS[schema]}")

    @property
    def owner(self):
        return f"postgresql://{self.server.role}@127.0.0.1:{self.server.port}/{self.name}"

    def sql(self, statement):
        return postgresql.run_sql(self.owner, statement)

    def rows(self, statement):
        """Rows of a query over both schemas."""
        return postgresql.read_sql(self.owner, f"{DATA}, {METADATA}", statement)

    def number(self, statement):
        return self.rows(statement)[0][0]

    def tables(self, condition="true"):
        """All rows of all tables as texts."""
        found = {}
        for schema, names in NAMES.items():
            for name in names:
                printed = self.sql(f"SELECT t::text FROM {schema}.{name} t WHERE {condition} ORDER BY t::text COLLATE \"C\"")
                found[name] = printed.splitlines()
        return found

    def definitions(self):
        """The columns and indexes of all tables."""
        return self.sql(
            "SELECT table_schema, table_name, column_name, data_type, column_default, is_nullable, "
            f"character_maximum_length FROM information_schema.columns WHERE table_schema IN ('{DATA}', '{METADATA}') "
            "AND table_name NOT IN ('consent_dimension', 'tributary_meta') ORDER BY 1, 2, 3") + self.sql(
            f"SELECT indexdef FROM pg_indexes WHERE schemaname IN ('{DATA}', '{METADATA}') "
            "AND tablename NOT IN ('consent_dimension', 'tributary_meta') ORDER BY 1")

    def engine(self, path, condition="true"):
        """The participants that i2b2's query engine finds: its statement, made of the ontology's row."""
        ontology = self.number("SELECT c_table_name FROM table_access WHERE c_table_cd = 'TRIBUTARY'")
        row = self.rows("SELECT c_facttablecolumn, c_tablename, c_columnname, c_columndatatype, c_operator, c_dimcode "
                        f"FROM {ontology} WHERE c_fullname = {postgresql.literal(path)} AND m_applied_path = '@'")
        assert len(row) == 1, (path, row)
        column, table, where, kind, operator, code = row[0]
        if operator == "LIKE":
            # On PostgreSQL the engine doubles each backslash.
            code = postgresql.literal(code.replace("\\", "\\\\") + "%")
        elif operator == "IN":
            code = f"({code})"
        elif kind == "T":
            code = postgresql.literal(code)
        return {row[0] for row in self.rows(
            f"SELECT DISTINCT t.patient_num FROM observation_fact t WHERE t.{column} IN "
            f"(SELECT {column} FROM {table} WHERE {where} {operator} {code}) AND {condition}")}

    def rebuild_concepts(self):
        """What insert_concept_dimension_fromtableaccess does: the dimension is emptied, and filled once for each row of
        table_access; a table that is named twice meets its own rows."""
        tables = [row[0] for row in self.rows("SELECT c_table_name FROM table_access WHERE c_visualattributes LIKE '%A%'")]
        self.sql(f"SET search_path TO {DATA}, {METADATA}; BEGIN; DELETE FROM concept_dimension; " + "".join(
            f"""INSERT INTO concept_dimension (concept_path, concept_cd, name_char, update_date, download_date, import_date,
                sourcesystem_cd, upload_id)
            SELECT DISTINCT c_dimcode, c_basecode, c_name, update_date, download_date, import_date, sourcesystem_cd, 1
            FROM {table} WHERE m_applied_path = '@' AND lower(c_tablename) = 'concept_dimension'
                AND lower(c_columnname) = 'concept_path' AND c_columndatatype IN ('T', 'N') AND c_synonym_cd = 'N'
                AND coalesce(m_exclusion_cd, '') = '' AND coalesce(c_basecode, '') <> ''; """ for table in tables) + "COMMIT")
