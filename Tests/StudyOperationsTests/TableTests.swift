import FHIR
import Foundation
import Testing

@testable import StudyOperations

@Suite struct TableCellTests {
    @Test(arguments: [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("\tx", "'\tx"), ("\rx", "'\rx"),
        ("\nx", "'\nx"), ("'x", "''x"), ("a=1", "a=1"), ("", ""), ("é", "é"),
    ])
    func textThatASpreadsheetExecutesIsEscaped(text: String, written: String) {
        #expect(TableCell.text(text).written == written)
    }

    @Test func numbersKeepTheirDigits() {
        #expect(TableCell.number("-1.50").written == "-1.50")
        #expect(TableCell.empty.written == "" && TableCell(nil) == .empty)
    }
}

@Suite struct ResponseTableTests {
    private func form(_ items: String, version: String = "1") throws -> Questionnaire {
        Questionnaire(
            try Resource(
                Data(
                    """
                    {"resourceType":"Questionnaire","url":"http://example.org/f","version":"\(version)","item":[\(items)]}
                    """.utf8)
            ).object)
    }

    private func row(_ items: String, in table: ResponseTable) throws -> [String: String] {
        let response = try Resource(
            Data(
                """
                {"resourceType":"QuestionnaireResponse","id":"r","status":"completed",
                 "questionnaire":"http://example.org/f|1","authored":"2026-03-01","item":[\(items)]}
                """.utf8))
        let cells = table.row(of: response, participant: "p").map(\.written)
        #expect(cells.count == table.columns.count)
        return Dictionary(uniqueKeysWithValues: zip(table.columns, cells)).filter { !$0.value.isEmpty }
    }

    private let leading = [
        "response": "r", "participant": "p", "questionnaire": "http://example.org/f", "version": "1",
        "status": "completed", "authored": "2026-03-01",
    ]

    @Test func eachQuestionOfEachVersionHasAColumn() throws {
        let newest = try form(
            """
            {"linkId":"g","type":"group","item":[{"linkId":"b","type":"quantity"},{"linkId":"x","type":"display"}]},
            {"linkId":"status","type":"string","item":[{"linkId":"inner","type":"date"}]}
            """, version: "2")
        let older = try form(#"{"linkId":"old","type":"boolean"},{"linkId":"b","type":"decimal"}"#)
        let table = ResponseTable(form: "http://example.org/f", versions: [newest, older])
        #expect(
            table.columns == ResponseTable.leading + ["b", "b.unit", "status_2", "inner", "old", "other_answers"])
        #expect(table.codebook(file: "f.csv").map(\.column) == table.columns)
    }

    @Test func answersAreWrittenAsFHIRHasThem() throws {
        let table = ResponseTable(
            form: "http://example.org/f",
            versions: [
                try form(
                    """
                    {"linkId":"n","type":"decimal"},{"linkId":"b","type":"boolean"},{"linkId":"t","type":"text"},
                    {"linkId":"c","type":"choice"},{"linkId":"q","type":"quantity"}
                    """)
            ])
        let row = try row(
            """
            {"linkId":"n","answer":[{"valueDecimal":-1.50}]},{"linkId":"b","answer":[{"valueBoolean":false}]},
            {"linkId":"t","answer":[{"valueString":"=cmd|x"}]},
            {"linkId":"c","answer":[{"valueCoding":{"system":"s","code":"LA1-1","display":"Good"}}]},
            {"linkId":"q","answer":[{"valueQuantity":{"value":70.0,"unit":"kilo","code":"kg","comparator":"<"}}]},
            {"linkId":"?","answer":[{"valueInteger":7}]}
            """, in: table)
        #expect(
            row
                == leading.merging([
                    "n": "-1.50", "b": "false", "t": "'=cmd|x", "c": "LA1-1", "q": "<70.0", "q.unit": "kg",
                    "other_answers": #"{"?":[7]}"#,
                ]) { $1 })
    }

    @Test func repetitionsKeepTheirOrder() throws {
        let table = ResponseTable(
            form: "http://example.org/f",
            versions: [
                try form(
                    """
                    {"linkId":"drug","type":"group","repeats":true,"item":[
                      {"linkId":"name","type":"choice"},{"linkId":"dose","type":"integer"}]},
                    {"linkId":"many","type":"string","repeats":true},{"linkId":"one","type":"string"}
                    """)
            ])
        let row = try row(
            """
            {"linkId":"drug","item":[{"linkId":"name","answer":[{"valueCoding":{"code":"A"}}]}]},
            {"linkId":"drug","item":[{"linkId":"name","answer":[{"valueCoding":{"code":"B"}}]},
              {"linkId":"dose","answer":[{"valueInteger":5}]}]},
            {"linkId":"many","answer":[{"valueString":"a|b"},{"valueString":"c\\\\d"}]},
            {"linkId":"one","answer":[{"valueString":"x|y"},{"valueString":"z"}]}
            """, in: table)
        #expect(
            row
                == leading.merging([
                    "name": "A|B", "dose": "|5", "many": #"a\|b|c\\d"#, "one": "x|y",
                    "other_answers": #"{"one":["z"]}"#,
                ]) { $1 })
    }

    @Test func codebookHasTheOptionsOfEachVersion() throws {
        func options(_ codes: String...) -> String {
            let options = codes.map { #"{"valueCoding":{"system":"s","code":"\#($0)","display":"is \#($0)"}}"# }
            return
                #"{"linkId":"c","type":"choice","text":"Which?","answerOption":[\#(options.joined(separator: ","))]}"#
        }
        let table = ResponseTable(
            form: "http://example.org/f", versions: [try form(options("a", "b")), try form(options("b", "z"))])
        let rows = table.codebook(file: "f.csv").filter { $0.column == "c" }.map { $0.cells.map(\.written) }
        #expect(rows.map { $0[9] } == ["", "a", "b", "z"])
        #expect(rows[0][2] == "Which?" && rows[1][10] == "s" && rows[1][11] == "is a")
    }

    @Test func responsesFindTheirFormByURLOrID() throws {
        var named = try form(#"{"linkId":"a","type":"string"}"#)
        named.id = "f"
        let tables = ResponseTables(published: [named], former: [])
        func index(_ questionnaire: String) throws -> Int {
            tables.index(
                of: try Resource(
                    Data(#"{"resourceType":"QuestionnaireResponse","questionnaire":"\#(questionnaire)"}"#.utf8)))
        }
        #expect(try index("http://example.org/f|9") == 0)
        #expect(try index("Questionnaire/f") == 0)
        #expect(try index("http://example.org/other") == 1)
        #expect(tables.entries.map(\.isPublished) == [true, false])
    }
}

@Suite struct ObservationTableTests {
    private func rows(_ json: String) throws -> [[String: String]] {
        let resource = try Resource(Data(#"{"resourceType":"Observation","id":"o","status":"final",\#(json)}"#.utf8))
        return ObservationTable.rows(of: resource, participant: "p").map { cells in
            #expect(cells.count == ObservationTable.columns.count)
            return Dictionary(uniqueKeysWithValues: zip(ObservationTable.columns, cells.map(\.written)))
                .filter { !$0.value.isEmpty }
        }
    }

    @Test func valueAndComponentsHaveRows() throws {
        let found = try rows(
            """
            "code":{"coding":[{"system":"l","code":"1"},{"system":"h","code":"2"}],"text":"Pressure"},
            "effectivePeriod":{"start":"2026-01-01","end":"2026-01-02"},
            "component":[{"code":{"coding":[{"code":"3","display":"Upper"}]},
             "valueQuantity":{"value":120.0,"unit":"mmHg","code":"mm[Hg]","comparator":">="}},
             {"code":{"text":"Mood"},"valueCodeableConcept":{"coding":[{"system":"s","code":"c"}]}}]
            """)
        #expect(found.map { $0["part"] } == ["1", "2"])
        #expect(found[0]["value"] == "120.0" && found[0]["comparator"] == ">=" && found[0]["unit"] == "mm[Hg]")
        #expect(found[0]["codes"] == "|3" && found[0]["name"] == "Upper" && found[0]["start"] == "2026-01-01")
        #expect(found[1]["text"] == "c" && found[1]["text_system"] == "s" && found[1]["value"] == nil)
    }

    @Test func observationWithoutAValueHasOneRow() throws {
        let found = try rows(#""code":{"coding":[{"system":"l","code":"1"},{"system":"h","code":"2"}]}"#)
        #expect(
            found == [
                [
                    "observation": "o", "part": "0", "participant": "p", "status": "final", "code_system": "l",
                    "code": "1",
                    "codes": "l|1 h|2",
                ]
            ])
    }
}
