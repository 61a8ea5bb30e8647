extension WarehouseSchema {
    /// Our own tables that refer to rows of i2b2's tables.
    static let numbersOfWarehouse = [
        "consent_contract", "consent_dimension", "ontology_form", "warehouse_load", "warehouse_patient",
        "warehouse_upload", "warehouse_concept", "warehouse_scheme", LoadedRecord.table,
    ]

    /// Our own tables of the rows that we wrote to i2b2's tables. The latter may be in a hospital's schema, with other
    /// rows, and without an index for our queries.
    static let numbersAndNames = [
        // A participant's number, and their name in `patient_mapping`.
        """
        CREATE TABLE warehouse_patient (
            participant varchar(200) PRIMARY KEY NOT NULL, patient_ide varchar(200) NOT NULL, patient_num int NOT NULL
        )
        """,
        """
        INSERT INTO warehouse_patient (participant, patient_ide, patient_num)
        SELECT patient_ide, patient_ide, patient_num FROM patient_mapping WHERE patient_ide_source = 'TRIBUTARY'
        """,
        "CREATE UNIQUE INDEX warehouse_patient_by_number ON warehouse_patient (patient_num)",
        "CREATE UNIQUE INDEX warehouse_patient_by_name ON warehouse_patient (patient_ide)",
        // The upload of a submission.
        "CREATE TABLE warehouse_upload (upload_label varchar(500) PRIMARY KEY NOT NULL, upload_id int NOT NULL)",
        """
        INSERT INTO warehouse_upload (upload_label, upload_id)
        SELECT upload_label, upload_id FROM upload_status WHERE source_cd = 'TRIBUTARY'
        """,
        "CREATE UNIQUE INDEX warehouse_upload_by_number ON warehouse_upload (upload_id)",
        "DROP INDEX us_idx_label",
        // The concepts with a code, as in the concept dimension.
        """
        CREATE TABLE warehouse_concept (
            concept_path varchar(700) PRIMARY KEY NOT NULL, concept_cd varchar(50) NOT NULL, name_char varchar(2000)
        )
        """,
        """
        INSERT INTO warehouse_concept (concept_path, concept_cd, name_char)
        SELECT concept_path, concept_cd, name_char FROM concept_dimension
        WHERE sourcesystem_cd = 'TRIBUTARY' AND concept_cd IS NOT NULL
        """,
        "CREATE INDEX warehouse_concept_by_code ON warehouse_concept (concept_cd, concept_path)",
        // The schemes and code names that we added.
        "CREATE TABLE warehouse_scheme (c_key varchar(50) PRIMARY KEY NOT NULL)",
        "INSERT INTO warehouse_scheme (c_key) SELECT c_key FROM schemes",
        // The rules for making facts (``AppliedDeidentification``); no row if nothing is withheld.
        """
        CREATE TABLE warehouse_rules (
            one int PRIMARY KEY NOT NULL, rules varchar(100000) NOT NULL, secret varchar(64) NOT NULL
        )
        """,
        // The location of i2b2's tables (``WarehouseLocation``); no row if they are among ours.
        "CREATE TABLE warehouse_place (one int PRIMARY KEY NOT NULL, place varchar(200) NOT NULL)",
    ]
}
