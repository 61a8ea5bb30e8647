/// The script with which psql imports an export into the tables of an i2b2
/// (https://www.postgresql.org/docs/current/app-psql.html).
///
/// The import is one transaction. Rows are first copied to temporary tables. Participants, encounters and uploads keep
/// the numbers that they have in the target, or get free ones, under the lock that i2b2's own loader takes. Then the
/// rows replace those of an earlier import.
struct ImportScript {
    let tables: [I2B2Table]

    /// The line after the rows of a table.
    static let endOfRows = "\\.\n"

    /// The start of the transaction, and the temporary tables.
    var beginning: String {
        var text = """
            -- Facts, dimensions and ontology of a study, for i2b2 1.8 on PostgreSQL. Run it with psql:
            --   psql DATABASE -f FILE
            --   psql DATABASE -v schema=i2b2demodata -v metadata=i2b2metadata -f FILE
            \\set ON_ERROR_STOP on
            \\if :{?schema}
            \\if :{?metadata}
            \\else
            \\set metadata :schema
            \\endif
            SET search_path TO :"schema", :"metadata";
            \\endif
            SET DateStyle TO 'ISO, YMD';
            SET client_encoding TO 'UTF8';
            SET standard_conforming_strings TO on;
            BEGIN;
            -- Where there is no i2b2 yet its tables are made.
            SELECT to_regclass('observation_fact') IS NULL AS none, to_regclass('consent_dimension') IS NULL AS noconsent,
                to_regclass('\(WarehouseLocation.ontologyView)') IS NULL AS noontology \\gset
            \\if :none

            """
        for table in I2B2Table.all(.postgresql) where !table.isAlwaysOurs {
            for statement in table.statements { text += Self.line(statement) + ";\n" }
        }
        text += "\\endif\n\\if :noconsent\n"
        for statement in I2B2Table.consents.statements { text += Self.line(statement) + ";\n" }
        // In addition to existing ontologies: each has a table of its own.
        text += "\\endif\n\\if :noontology\n\\if :{?schema}\nSET search_path TO :\"metadata\";\n\\endif\n"
        for table in tables where table.isAlwaysOurs {
            for statement in table.statements {
                text +=
                    Self.line(statement).replacing(table.name, with: Self.target(table.name))
                    .replacing("INDEX meta_", with: "INDEX \(WarehouseLocation.ontologyView)_") + ";\n"
            }
        }
        text += "\\if :{?schema}\nSET search_path TO :\"schema\", :\"metadata\";\n\\endif\n"
        text += "\\endif\nLOCK TABLE patient_mapping, encounter_mapping, upload_status IN EXCLUSIVE MODE;\n"
        for table in tables {
            text +=
                "CREATE TEMPORARY TABLE \(table.staged) ON COMMIT DROP AS SELECT "
                + "\(table.stagedColumns.joined(separator: ", ")) FROM \(Self.target(table.name)) WITH NO DATA;\n"
        }
        return text
    }

    private static func line(_ statement: String) -> String {
        statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Returns the line before the rows of a table in the script.
    func copying(_ table: I2B2Table) -> String { "COPY \(Self.stagedTable(table)) FROM stdin;\n" }

    /// Returns the command that reads the rows of a table from its file.
    func copyingFile(_ table: I2B2Table) -> String {
        "\\copy \(Self.stagedTable(table)) FROM '\(table.name).csv' WITH (FORMAT csv, HEADER, ENCODING 'UTF8')\n"
    }

    private static func stagedTable(_ table: I2B2Table) -> String {
        "\(table.staged) (\(table.stagedColumns.joined(separator: ", ")))"
    }

    /// Returns the name of a table in the target.
    private static func target(_ table: String) -> String {
        table == OntologyWriter.table ? WarehouseLocation.ontologyView : table
    }

    /// The commands that number the rows and move them to their tables.
    var ending: String {
        var text = ""
        for numbers in StagedNumbers.all {
            text += "CREATE TEMPORARY TABLE \(numbers.table) ON COMMIT DROP AS\n\(numbers.selection);\n"
            text += "ANALYZE \(numbers.table);\n"
        }
        text += Self.former
        for table in tables { text += StagedInsertion(table, into: Self.target(table.name)).statement + ";\n" }
        return text + "COMMIT;\n"
    }

    private static let former = """
        -- What an earlier import left of these participants goes.
        CREATE TEMPORARY TABLE tributary_former ON COMMIT DROP AS
        SELECT DISTINCT v.encounter_num FROM visit_dimension v JOIN tributary_patient p ON p.number = v.patient_num
        JOIN encounter_mapping m ON m.encounter_num = v.encounter_num AND m.encounter_ide_source = 'TRIBUTARY';
        DELETE FROM observation_fact f USING tributary_patient p
            WHERE f.patient_num = p.number AND f.sourcesystem_cd = 'TRIBUTARY';
        DELETE FROM visit_dimension v USING tributary_patient p
            WHERE v.patient_num = p.number AND v.sourcesystem_cd = 'TRIBUTARY';
        DELETE FROM patient_dimension d USING tributary_patient p
            WHERE d.patient_num = p.number AND d.sourcesystem_cd = 'TRIBUTARY';
        DELETE FROM patient_mapping m USING tributary_patient p
            WHERE m.patient_num = p.number AND m.patient_ide_source IN ('TRIBUTARY', 'HIVE');
        DELETE FROM encounter_mapping m WHERE m.encounter_num IN (SELECT number FROM tributary_encounter)
            OR m.encounter_num IN (SELECT encounter_num FROM tributary_former);
        DELETE FROM upload_status u USING tributary_upload n WHERE u.upload_id = n.number;
        DELETE FROM consent_dimension c USING tributary_patient p WHERE c.patient_num = p.number;
        DELETE FROM \(WarehouseLocation.ontologyView) d USING tributary_custom_meta i
            WHERE d.c_fullname = i.c_fullname AND d.m_applied_path = i.m_applied_path;
        DELETE FROM concept_dimension d USING tributary_concept_dimension i WHERE d.concept_path = i.concept_path;
        DELETE FROM modifier_dimension d USING tributary_modifier_dimension i WHERE d.modifier_path = i.modifier_path;
        DELETE FROM table_access a USING tributary_table_access i WHERE a.c_table_cd = i.c_table_cd;

        """
}
