import Storage

extension WarehouseSchema {
    /// Our own tables that refer to rows of i2b2's tables.
    static let numbersOfWarehouse = [
        "consent_contract", "consent_dimension", "ontology_form", "warehouse_load", "warehouse_patient",
        "warehouse_upload", "warehouse_concept", "warehouse_scheme", LoadedRecord.table,
    ]

    /// The Contracts, which i2b2 has no table for.
    static let contracts = SchemaSection("Contracts") { _ in
        """
        -- A Contract of a participant.
        CREATE TABLE consent_contract (
            -- The id of the resource.
            contract_id text PRIMARY KEY NOT NULL,
            patient_num int NOT NULL,
            template_url text,
            template_version text,
            signed_at timestamp,
            -- 1 if it permits other researchers.
            shares_widely int,
            status_cd varchar(50) NOT NULL,
            withdrawn_at timestamp,
            upload_id int NOT NULL,
            update_date timestamp
        );
        CREATE INDEX consent_contract_by_patient ON consent_contract (patient_num);
        """
    }

    /// Our own tables of the rows that we wrote to i2b2's tables.
    static let numbers = SchemaSection("Rows of the warehouse") { dialect in
        """
        -- The rows that we wrote to the tables of i2b2. These may be in the schema of a hospital, with other rows, and
        -- without an index for our queries.

        -- The number of a participant, and their name in `patient_mapping`.
        CREATE TABLE warehouse_patient (
            participant varchar(200) PRIMARY KEY NOT NULL,
            patient_ide varchar(200) NOT NULL,
            patient_num int NOT NULL
        );
        CREATE UNIQUE INDEX warehouse_patient_by_number ON warehouse_patient (patient_num);
        CREATE UNIQUE INDEX warehouse_patient_by_name ON warehouse_patient (patient_ide);

        -- The upload of a submission.
        CREATE TABLE warehouse_upload (
            upload_label varchar(500) PRIMARY KEY NOT NULL,
            upload_id int NOT NULL
        );
        CREATE UNIQUE INDEX warehouse_upload_by_number ON warehouse_upload (upload_id);

        -- A concept with a code, as in the concept dimension.
        CREATE TABLE warehouse_concept (
            concept_path varchar(700) PRIMARY KEY NOT NULL,
            concept_cd varchar(50) NOT NULL,
            name_char varchar(2000)
        );
        CREATE INDEX warehouse_concept_by_code ON warehouse_concept (concept_cd, concept_path);

        -- A scheme that we added, with its names of codes.
        CREATE TABLE warehouse_scheme (c_key varchar(50) PRIMARY KEY NOT NULL);

        -- A form whose concepts are in the ontology, by its digest.
        CREATE TABLE ontology_form (digest varchar(64) PRIMARY KEY NOT NULL);

        -- The facts of a record, so that one encounter can contain the facts of several records.
        CREATE TABLE \(LoadedRecord.table) (
            -- The number of the record.
            number \(dialect.rowNumber) PRIMARY KEY NOT NULL,
            encounter_num int NOT NULL,
            -- The first instance number of its facts, and the number of them; 0 if all facts of the encounter are its.
            instance_num int NOT NULL,
            instances int NOT NULL,
            -- The first time of its facts, in seconds since 1970.
            start_seconds bigint NOT NULL,
            upload_id int NOT NULL,
            -- The last time; NULL if it is the first one.
            last_seconds bigint
        );
        CREATE INDEX warehouse_loaded_by_encounter ON \(LoadedRecord.table) (encounter_num);
        """
    }

    /// The location of i2b2's tables, the rules of facts, and the progress of a load.
    static let progress = SchemaSection("State of the warehouse") { _ in
        """
        -- Each table has one row, or none.

        -- The location of the tables of i2b2; no row if they are among ours.
        CREATE TABLE warehouse_place (
            one int PRIMARY KEY NOT NULL,
            place varchar(200) NOT NULL
        );

        -- The rules by which facts withhold data about participants; no row if nothing is withheld.
        CREATE TABLE warehouse_rules (
            one int PRIMARY KEY NOT NULL,
            -- The rules as JSON.
            rules varchar(100000) NOT NULL,
            -- The secret of pseudonyms and shifted dates.
            secret varchar(64) NOT NULL
        );

        -- The progress of making all facts from the records; no row if this is not in progress.
        CREATE TABLE warehouse_load (
            one int PRIMARY KEY NOT NULL,
            -- The digest of the forms, types and rules.
            digest varchar(64) NOT NULL,
            -- The last processed record.
            next_number bigint NOT NULL
        );
        """
    }
}
