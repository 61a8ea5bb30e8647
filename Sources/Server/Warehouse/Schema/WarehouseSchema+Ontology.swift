import Storage

extension WarehouseSchema {
    /// The ontology of i2b2 (its metadata). The first section is the table of our concepts.
    static let ontology = [concepts, catalogue]

    /// i2b2 supports several ontologies in tables of their own, so this one is always among our tables.
    static let concepts = SchemaSection("i2b2: concepts") { _ in
        """
        -- A concept of the ontology: its path, its name, and the condition by which i2b2 finds its patients.
        CREATE TABLE custom_meta (
            c_hlevel int NOT NULL, c_fullname varchar(700) NOT NULL, c_name varchar(2000) NOT NULL,
            c_synonym_cd char(1) NOT NULL, c_visualattributes char(3) NOT NULL, c_totalnum int, c_basecode varchar(50),
            c_metadataxml text, c_facttablecolumn varchar(50) NOT NULL, c_tablename varchar(50) NOT NULL,
            c_columnname varchar(50) NOT NULL, c_columndatatype varchar(50) NOT NULL, c_operator varchar(10) NOT NULL,
            c_dimcode varchar(700) NOT NULL, c_comment text, c_tooltip varchar(900),
            m_applied_path varchar(700) NOT NULL, update_date timestamp NOT NULL, download_date timestamp,
            import_date timestamp, sourcesystem_cd varchar(50), valuetype_cd varchar(50), m_exclusion_cd varchar(25),
            c_path varchar(700), c_symbol varchar(50)
        );
        CREATE UNIQUE INDEX meta_fullname_idx ON custom_meta (c_fullname, m_applied_path);
        CREATE INDEX meta_applied_path_idx ON custom_meta (m_applied_path);
        CREATE INDEX meta_exclusion_idx ON custom_meta (m_exclusion_cd);
        CREATE INDEX meta_hlevel_idx ON custom_meta (c_hlevel);
        CREATE INDEX meta_synonym_idx ON custom_meta (c_synonym_cd);
        """
    }

    private static let catalogue = SchemaSection("i2b2: ontologies and schemes") { _ in
        """
        -- An ontology, with its table and its topmost concept.
        CREATE TABLE table_access (
            c_table_cd varchar(50) NOT NULL, c_table_name varchar(50) NOT NULL, c_protected_access char(1),
            c_ontology_protection text, c_hlevel int NOT NULL, c_fullname varchar(700) NOT NULL,
            c_name varchar(2000) NOT NULL, c_synonym_cd char(1) NOT NULL, c_visualattributes char(3) NOT NULL,
            c_totalnum int, c_basecode varchar(50), c_metadataxml text, c_facttablecolumn varchar(50) NOT NULL,
            c_dimtablename varchar(50) NOT NULL, c_columnname varchar(50) NOT NULL,
            c_columndatatype varchar(50) NOT NULL, c_operator varchar(10) NOT NULL, c_dimcode varchar(700) NOT NULL,
            c_comment text, c_tooltip varchar(900), c_entry_date timestamp, c_change_date timestamp,
            c_status_cd char(1), valuetype_cd varchar(50)
        );

        -- The prefix of the codes of a code system.
        CREATE TABLE schemes (
            c_key varchar(50) PRIMARY KEY NOT NULL, c_name varchar(50) NOT NULL, c_description varchar(100)
        );
        """
    }

    /// Our dimension, which i2b2's queries join by the ontology's conditions.
    static let consents = SchemaSection("Consents for i2b2") { _ in
        """
        -- The state of a patient's consent.
        CREATE TABLE consent_dimension (
            patient_num int PRIMARY KEY NOT NULL,
            standing_cd varchar(50) NOT NULL,
            -- The version of the form of consent.
            template_version varchar(255),
            sharing_cd varchar(50),
            update_date timestamp, download_date timestamp, import_date timestamp, sourcesystem_cd varchar(50), upload_id int
        );
        CREATE INDEX consent_idx_standing ON consent_dimension (standing_cd, patient_num);
        CREATE INDEX consent_idx_version ON consent_dimension (template_version, patient_num);
        CREATE INDEX consent_idx_sharing ON consent_dimension (sharing_cd, patient_num);
        """
    }
}
