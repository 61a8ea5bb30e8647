import Storage

/// The tables of i2b2 1.8 (CRC data mart and ontology), with its column names, sizes and keys.
///
/// Timestamps are text in the form `YYYY-MM-DD HH:MM:SS` in UTC. i2b2 has no time zones, so one rule applies to all
/// rows.
package enum WarehouseSchema {
    package static let migrations: [Migration] =
        [
            Migration(number: 500, name: "i2b2-crc") { crc($0) },
            Migration(number: 501, name: "i2b2-ontology") { _ in ontology },
            Migration(number: 502, name: "consent") { _ in consent },
            // The forms whose concepts are in the ontology, by a hash of these.
            Migration(number: 503, name: "forms of the ontology") { _ in
                ["CREATE TABLE ontology_form (digest varchar(64) PRIMARY KEY NOT NULL)"]
            },
            // The state of each participant's consent, and the indexes for the ontology's conditions on patients and
            // visits.
            Migration(number: 504, name: "dimensions of the ontology") { _ in dimensionsOfOntology },
            // The progress of making the facts again from the records; no row if none is in progress.
            Migration(number: 505, name: "loading again") { _ in
                [
                    """
                    CREATE TABLE warehouse_load (
                        one int PRIMARY KEY NOT NULL, digest varchar(64) NOT NULL, next_number bigint NOT NULL
                    )
                    """
                ]
            },
            // The data of our own tables about i2b2's tables, which may be those of others.
            Migration(number: 506, name: "numbers and names of the warehouse") { _ in numbersAndNames },
        ] + loaded + [ReplicaLog.migration, times, indexesOfFacts]

    /// The last columns of every table of the data mart.
    private static let audit = """
        update_date timestamp, download_date timestamp, import_date timestamp, sourcesystem_cd varchar(50),
        upload_id int
        """

    private static func crc(_ dialect: SQLDialect) -> [String] { [facts(dialect)] + dimensions }

    /// Returns all statements that create i2b2's tables in their present form.
    static func i2b2Statements(_ dialect: SQLDialect) -> [String] {
        let former =
            ["us_idx_label", indexOfEncounters, indexOfDatedConcepts] + (dialect == .sqlite ? [indexOfTextSearch] : [])
        let indexes = [indexOfInstances, indexOfConcepts]
        return (crc(dialect) + indexes + ontology + dimensionsOfOntology).filter { statement in
            !former.contains { statement.contains(" \($0) ON ") }
        }
    }

    /// i2b2 numbers the facts for its text search. SQLite has no such search, so the column stays empty there.
    private static func facts(_ dialect: SQLDialect) -> String {
        """
        CREATE TABLE observation_fact (
            encounter_num int NOT NULL, patient_num int NOT NULL, concept_cd varchar(50) NOT NULL,
            provider_id varchar(50) NOT NULL, start_date timestamp NOT NULL,
            modifier_cd varchar(100) DEFAULT '@' NOT NULL, instance_num int DEFAULT 1 NOT NULL,
            valtype_cd varchar(50), tval_char varchar(255), nval_num decimal(18,5), valueflag_cd varchar(50),
            quantity_num decimal(18,5), units_cd varchar(50), end_date timestamp, location_cd varchar(50),
            observation_blob text, confidence_num decimal(18,5), \(audit),
            text_search_index \(dialect == .postgresql ? "serial" : "int"),
            PRIMARY KEY (patient_num, concept_cd, modifier_cd, start_date, encounter_num, instance_num, provider_id)
        )
        """
    }

    private static let dimensions = [
        "CREATE UNIQUE INDEX \(indexOfTextSearch) ON observation_fact (text_search_index)",
        "CREATE INDEX \(indexOfDatedConcepts) ON observation_fact (concept_cd, patient_num, start_date)",
        "CREATE INDEX \(indexOfEncounters) ON observation_fact (encounter_num, patient_num)",
        "CREATE INDEX of_idx_upload ON observation_fact (upload_id)",
        """
        CREATE TABLE patient_dimension (
            patient_num int PRIMARY KEY NOT NULL, vital_status_cd varchar(50), birth_date timestamp,
            death_date timestamp, sex_cd varchar(50), age_in_years_num int, language_cd varchar(50),
            race_cd varchar(50), marital_status_cd varchar(50), religion_cd varchar(50), zip_cd varchar(10),
            statecityzip_path varchar(700), income_cd varchar(50), patient_blob text, \(audit)
        )
        """,
        """
        CREATE TABLE visit_dimension (
            encounter_num int NOT NULL, patient_num int NOT NULL, active_status_cd varchar(50), start_date timestamp,
            end_date timestamp, inout_cd varchar(50), location_cd varchar(50), location_path varchar(900),
            length_of_stay int, visit_blob text, \(audit),
            PRIMARY KEY (encounter_num, patient_num)
        )
        """,
        "CREATE INDEX visit_idx_patient ON visit_dimension (patient_num)",
        "CREATE INDEX visit_idx_upload ON visit_dimension (upload_id)",
        """
        CREATE TABLE concept_dimension (
            concept_path varchar(700) PRIMARY KEY NOT NULL, concept_cd varchar(50), name_char varchar(2000),
            concept_blob text, \(audit)
        )
        """,
        "CREATE INDEX cd_idx_code ON concept_dimension (concept_cd)",
        """
        CREATE TABLE modifier_dimension (
            modifier_path varchar(700) PRIMARY KEY NOT NULL, modifier_cd varchar(50), name_char varchar(2000),
            modifier_blob text, \(audit)
        )
        """,
        """
        CREATE TABLE provider_dimension (
            provider_id varchar(50) NOT NULL, provider_path varchar(700) NOT NULL, name_char varchar(850),
            provider_blob text, \(audit),
            PRIMARY KEY (provider_path, provider_id)
        )
        """,
        """
        CREATE TABLE patient_mapping (
            patient_ide varchar(200) NOT NULL, patient_ide_source varchar(50) NOT NULL, patient_num int NOT NULL,
            patient_ide_status varchar(50), project_id varchar(50) NOT NULL, upload_date timestamp, \(audit),
            PRIMARY KEY (patient_ide, patient_ide_source, project_id)
        )
        """,
        "CREATE INDEX pm_idx_number ON patient_mapping (patient_num)",
        """
        CREATE TABLE encounter_mapping (
            encounter_ide varchar(200) NOT NULL, encounter_ide_source varchar(50) NOT NULL,
            project_id varchar(50) NOT NULL, encounter_num int NOT NULL, patient_ide varchar(200) NOT NULL,
            patient_ide_source varchar(50) NOT NULL, encounter_ide_status varchar(50), upload_date timestamp, \(audit),
            PRIMARY KEY (encounter_ide, encounter_ide_source, project_id, patient_ide, patient_ide_source)
        )
        """,
        "CREATE INDEX em_idx_number ON encounter_mapping (encounter_num)",
        """
        CREATE TABLE code_lookup (
            table_cd varchar(100) NOT NULL, column_cd varchar(100) NOT NULL, code_cd varchar(50) NOT NULL,
            name_char varchar(650), lookup_blob text, upload_date timestamp, \(audit),
            PRIMARY KEY (table_cd, column_cd, code_cd)
        )
        """,
        """
        CREATE TABLE upload_status (
            upload_id int PRIMARY KEY NOT NULL, upload_label varchar(500) NOT NULL, user_id varchar(100) NOT NULL,
            source_cd varchar(50) NOT NULL, no_of_record bigint, loaded_record bigint, deleted_record bigint,
            load_date timestamp NOT NULL, end_date timestamp, load_status varchar(100), message text,
            input_file_name text, log_file_name text, transform_name varchar(500)
        )
        """,
        "CREATE UNIQUE INDEX us_idx_label ON upload_status (upload_label)",
    ]

    static let ontology = [
        """
        CREATE TABLE custom_meta (
            c_hlevel int NOT NULL, c_fullname varchar(700) NOT NULL, c_name varchar(2000) NOT NULL,
            c_synonym_cd char(1) NOT NULL, c_visualattributes char(3) NOT NULL, c_totalnum int, c_basecode varchar(50),
            c_metadataxml text, c_facttablecolumn varchar(50) NOT NULL, c_tablename varchar(50) NOT NULL,
            c_columnname varchar(50) NOT NULL, c_columndatatype varchar(50) NOT NULL, c_operator varchar(10) NOT NULL,
            c_dimcode varchar(700) NOT NULL, c_comment text, c_tooltip varchar(900),
            m_applied_path varchar(700) NOT NULL, update_date timestamp NOT NULL, download_date timestamp,
            import_date timestamp, sourcesystem_cd varchar(50), valuetype_cd varchar(50), m_exclusion_cd varchar(25),
            c_path varchar(700), c_symbol varchar(50)
        )
        """,
        "CREATE UNIQUE INDEX meta_fullname_idx ON custom_meta (c_fullname, m_applied_path)",
        "CREATE INDEX meta_applied_path_idx ON custom_meta (m_applied_path)",
        "CREATE INDEX meta_exclusion_idx ON custom_meta (m_exclusion_cd)",
        "CREATE INDEX meta_hlevel_idx ON custom_meta (c_hlevel)",
        "CREATE INDEX meta_synonym_idx ON custom_meta (c_synonym_cd)",
        """
        CREATE TABLE table_access (
            c_table_cd varchar(50) NOT NULL, c_table_name varchar(50) NOT NULL, c_protected_access char(1),
            c_ontology_protection text, c_hlevel int NOT NULL, c_fullname varchar(700) NOT NULL,
            c_name varchar(2000) NOT NULL, c_synonym_cd char(1) NOT NULL, c_visualattributes char(3) NOT NULL,
            c_totalnum int, c_basecode varchar(50), c_metadataxml text, c_facttablecolumn varchar(50) NOT NULL,
            c_dimtablename varchar(50) NOT NULL, c_columnname varchar(50) NOT NULL,
            c_columndatatype varchar(50) NOT NULL, c_operator varchar(10) NOT NULL, c_dimcode varchar(700) NOT NULL,
            c_comment text, c_tooltip varchar(900), c_entry_date timestamp, c_change_date timestamp,
            c_status_cd char(1), valuetype_cd varchar(50)
        )
        """,
        """
        CREATE TABLE schemes (
            c_key varchar(50) PRIMARY KEY NOT NULL, c_name varchar(50) NOT NULL, c_description varchar(100)
        )
        """,
    ]

    static let dimensionsOfOntology = [
        """
        CREATE TABLE consent_dimension (
            patient_num int PRIMARY KEY NOT NULL, standing_cd varchar(50) NOT NULL, template_version varchar(255),
            sharing_cd varchar(50), \(audit)
        )
        """,
        "CREATE INDEX consent_idx_standing ON consent_dimension (standing_cd, patient_num)",
        "CREATE INDEX consent_idx_version ON consent_dimension (template_version, patient_num)",
        "CREATE INDEX consent_idx_sharing ON consent_dimension (sharing_cd, patient_num)",
        "CREATE INDEX pd_idx_birth ON patient_dimension (birth_date, patient_num)",
        "CREATE INDEX pd_idx_age ON patient_dimension (age_in_years_num, patient_num)",
        "CREATE INDEX pd_idx_sex ON patient_dimension (sex_cd, patient_num)",
        "CREATE INDEX pd_idx_zip ON patient_dimension (zip_cd, patient_num)",
        "CREATE INDEX pd_idx_place ON patient_dimension (statecityzip_path, patient_num)",
        "CREATE INDEX visit_idx_location ON visit_dimension (location_cd, encounter_num)",
    ]

    private static let consent = [
        """
        CREATE TABLE consent_contract (
            contract_id text PRIMARY KEY NOT NULL, patient_num int NOT NULL, template_url text, template_version text,
            signed_at timestamp, shares_widely int, status_cd varchar(50) NOT NULL, withdrawn_at timestamp,
            upload_id int NOT NULL, update_date timestamp
        )
        """,
        "CREATE INDEX consent_contract_by_patient ON consent_contract (patient_num)",
    ]
}
