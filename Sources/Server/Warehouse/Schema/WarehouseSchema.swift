import Storage

/// The tables of the warehouse in the records' store: those of i2b2 1.8, and our own.
package enum WarehouseSchema {
    package static let sections = i2b2 + [consents, contracts, numbers, progress, ReplicaLog.section]

    /// The tables of i2b2, which may also be in schemas of others.
    static let i2b2 = [dataMart] + ontology

    /// The last columns of every table of the data mart.
    private static let audit = """
        update_date timestamp, download_date timestamp, import_date timestamp, sourcesystem_cd varchar(50), upload_id int
        """

    private static let dataMart = SchemaSection("i2b2: data mart") { dialect in
        """
        -- The tables of i2b2 1.8 with its column names, sizes and keys; see its documentation of the data mart (CRC).
        -- i2b2 has no time zones: all timestamps are in UTC, in SQLite as text in the form `YYYY-MM-DD HH:MM:SS`. The last
        -- columns of each table state the time of the change, the source of the row and its upload.

        -- A fact: an observation about a patient in an encounter.
        CREATE TABLE observation_fact (
            encounter_num int NOT NULL, patient_num int NOT NULL, concept_cd varchar(50) NOT NULL,
            provider_id varchar(50) NOT NULL, start_date timestamp NOT NULL,
            modifier_cd varchar(100) DEFAULT '@' NOT NULL, instance_num int DEFAULT 1 NOT NULL,
            valtype_cd varchar(50), tval_char varchar(255), nval_num decimal(18,5), valueflag_cd varchar(50),
            quantity_num decimal(18,5), units_cd varchar(50), end_date timestamp, location_cd varchar(50),
            observation_blob text, confidence_num decimal(18,5), \(audit),
            -- i2b2 numbers the facts for its text search. SQLite has no such search, so the column stays empty there.
            text_search_index \(dialect.word(sqlite: "int", postgresql: "serial")),
            PRIMARY KEY (patient_num, concept_cd, modifier_cd, start_date, encounter_num, instance_num, provider_id)
        );
        \(dialect.word(postgresql: "CREATE UNIQUE INDEX of_idx_text_search ON observation_fact (text_search_index);"))
        CREATE INDEX of_idx_upload ON observation_fact (upload_id);
        -- The facts of one record among those of a day.
        CREATE INDEX of_idx_instance ON observation_fact (encounter_num, instance_num);
        -- The facts of a concept. Without the date, new entries are appended, whatever their time of measurement.
        CREATE INDEX of_idx_concept_patient ON observation_fact (concept_cd, patient_num);

        -- A patient.
        CREATE TABLE patient_dimension (
            patient_num int PRIMARY KEY NOT NULL, vital_status_cd varchar(50), birth_date timestamp,
            death_date timestamp, sex_cd varchar(50), age_in_years_num int, language_cd varchar(50),
            race_cd varchar(50), marital_status_cd varchar(50), religion_cd varchar(50), zip_cd varchar(10),
            statecityzip_path varchar(700), income_cd varchar(50), patient_blob text, \(audit)
        );
        CREATE INDEX pd_idx_birth ON patient_dimension (birth_date, patient_num);
        CREATE INDEX pd_idx_age ON patient_dimension (age_in_years_num, patient_num);
        CREATE INDEX pd_idx_sex ON patient_dimension (sex_cd, patient_num);
        CREATE INDEX pd_idx_zip ON patient_dimension (zip_cd, patient_num);
        CREATE INDEX pd_idx_place ON patient_dimension (statecityzip_path, patient_num);

        -- An encounter: the data of a patient from one source on one day.
        CREATE TABLE visit_dimension (
            encounter_num int NOT NULL, patient_num int NOT NULL, active_status_cd varchar(50), start_date timestamp,
            end_date timestamp, inout_cd varchar(50), location_cd varchar(50), location_path varchar(900),
            length_of_stay int, visit_blob text, \(audit),
            PRIMARY KEY (encounter_num, patient_num)
        );
        CREATE INDEX visit_idx_patient ON visit_dimension (patient_num);
        CREATE INDEX visit_idx_upload ON visit_dimension (upload_id);
        CREATE INDEX visit_idx_location ON visit_dimension (location_cd, encounter_num);

        -- The code of a concept, by its path in the ontology.
        CREATE TABLE concept_dimension (
            concept_path varchar(700) PRIMARY KEY NOT NULL, concept_cd varchar(50), name_char varchar(2000),
            concept_blob text, \(audit)
        );
        CREATE INDEX cd_idx_code ON concept_dimension (concept_cd);

        -- The code of a modifier, by its path.
        CREATE TABLE modifier_dimension (
            modifier_path varchar(700) PRIMARY KEY NOT NULL, modifier_cd varchar(50), name_char varchar(2000),
            modifier_blob text, \(audit)
        );

        -- A provider of facts.
        CREATE TABLE provider_dimension (
            provider_id varchar(50) NOT NULL, provider_path varchar(700) NOT NULL, name_char varchar(850),
            provider_blob text, \(audit),
            PRIMARY KEY (provider_path, provider_id)
        );

        -- The number of a patient, by each of their names.
        CREATE TABLE patient_mapping (
            patient_ide varchar(200) NOT NULL, patient_ide_source varchar(50) NOT NULL, patient_num int NOT NULL,
            patient_ide_status varchar(50), project_id varchar(50) NOT NULL, upload_date timestamp, \(audit),
            PRIMARY KEY (patient_ide, patient_ide_source, project_id)
        );
        CREATE INDEX pm_idx_number ON patient_mapping (patient_num);

        -- The number of an encounter, by its name.
        CREATE TABLE encounter_mapping (
            encounter_ide varchar(200) NOT NULL, encounter_ide_source varchar(50) NOT NULL,
            project_id varchar(50) NOT NULL, encounter_num int NOT NULL, patient_ide varchar(200) NOT NULL,
            patient_ide_source varchar(50) NOT NULL, encounter_ide_status varchar(50), upload_date timestamp, \(audit),
            PRIMARY KEY (encounter_ide, encounter_ide_source, project_id, patient_ide, patient_ide_source)
        );
        CREATE INDEX em_idx_number ON encounter_mapping (encounter_num);

        -- The name of a code.
        CREATE TABLE code_lookup (
            table_cd varchar(100) NOT NULL, column_cd varchar(100) NOT NULL, code_cd varchar(50) NOT NULL,
            name_char varchar(650), lookup_blob text, upload_date timestamp, \(audit),
            PRIMARY KEY (table_cd, column_cd, code_cd)
        );

        -- An upload: the facts of one submission.
        CREATE TABLE upload_status (
            upload_id int PRIMARY KEY NOT NULL, upload_label varchar(500) NOT NULL, user_id varchar(100) NOT NULL,
            source_cd varchar(50) NOT NULL, no_of_record bigint, loaded_record bigint, deleted_record bigint,
            load_date timestamp NOT NULL, end_date timestamp, load_status varchar(100), message text,
            input_file_name text, log_file_name text, transform_name varchar(500)
        );
        """
    }
}
