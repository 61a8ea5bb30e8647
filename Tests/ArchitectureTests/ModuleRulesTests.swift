import Testing

/// The checker itself: it must find what is planted.
@Suite struct ModuleRulesTests {
    let rules = ModuleRules()

    func breaches(_ path: String, _ text: String) -> [String] {
        let file = SourceFile(path: path, text: text)
        return (rules.imports(of: file) + rules.writing(of: file)).map { "\($0.line) \($0.what)" }
    }

    @Test(arguments: [
        "import FHIR", "internal import FHIR", "@_exported public import FHIR", "import struct FHIR.JSON",
        "let a = 1; import FHIR", "  @preconcurrency   import\tFHIR", "/* why */ import FHIR",
    ])
    func aForbiddenImportIsFoundHoweverItIsWritten(statement: String) {
        #expect(breaches("Sources/Wire/Some.swift", "// a\n\(statement)\n") == ["2 Wire may not import FHIR"])
    }

    @Test(arguments: [
        "// import FHIR", "/* a /* b */\nimport FHIR\n*/", "let text = \"import FHIR\"",
        "let text = \"\"\"\nimport FHIR\n\"\"\"", "let text = #\"\nimport \" FHIR \"#", "/// import FHIR",
        "import Foundation", "import Crypto", "let importFHIR = 1",
    ])
    func onlyImportsOfOurModulesAreFound(statement: String) {
        #expect(breaches("Sources/Wire/Some.swift", statement + "\n") == [])
    }

    @Test func codeAfterAStringIsStillCode() {
        let text = #"let a = "\(b("x", c: ")"))" ; let d = "\\" "# + "\nimport FHIR\n"
        #expect(breaches("Sources/Wire/Some.swift", text) == ["2 Wire may not import FHIR"])
    }

    @Test func anAllowedImportIsAllowed() {
        #expect(breaches("Sources/Device/Outbox/Some.swift", "import Wire\n") == [])
        #expect(breaches("Sources/Server/Admission/Deep/Some.swift", "import FHIRVersions\n") == [])
        #expect(breaches("Sources/Tools/tributary/Some.swift", "import Questionnaires\n") == [])
    }

    @Test func receiverMayNotImportModulesThatReadSubmissions() {
        for module in ["FHIR", "Consumer", "StudyKeys", "RecordStorage", "FHIRServer", "Warehouse"] {
            let expected = ["1 Receiver may not import \(module)"]
            #expect(breaches("Sources/Server/Receiver/Some.swift", "import \(module)\n") == expected)
        }
    }

    @Test func aFileOutsideThePlanIsFound() {
        #expect(breaches("Sources/Server/Cupboard/Some.swift", "") == ["1 stands in no module of the plan"])
        #expect(breaches("Sources/Language/FHIRPathology/Some.swift", "") == ["1 stands in no module of the plan"])
    }

    @Test func unwantedWritingIsFoundInCodeAlone() {
        let planted = [
            "struct A: @unchecked Sendable {}", "let b = try! c()", "fatalError(\"\")", "Bundle.module",
            "nonisolated(unsafe) var d = 1",
        ]
        for line in planted {
            #expect(breaches("Sources/Wire/Some.swift", line + "\n").count == 1, "\(line)")
            #expect(breaches("Sources/Wire/Some.swift", "// \(line)\n") == [], "\(line)")
        }
    }

    @Test func forbiddenModulesAreFoundEverywhere() {
        #expect(breaches("Sources/Tools/tributary/Some.swift", "import FoundationXML\n").count == 1)
        #expect(breaches("Sources/Server/Identity/Some.swift", "import GRDB\n").count == 1)
        #expect(breaches("Sources/Server/Storage/Some.swift", "import GRDB\n") == [])
    }

    @Test func aLongFileIsFound() {
        let lines = String(repeating: "let a = 1\n", count: 501)
        #expect(breaches("Sources/Wire/Some.swift", lines) == ["501 is longer than 500 lines"])
        #expect(breaches("Sources/Wire/Some.swift", String(lines.dropFirst(10))) == [])
        #expect(
            breaches("Sources/Language/FHIR/Views/Some.swift", lines) == [], "what is generated is as long as it is")
    }

    @Test func thePlanIsReadFromItsTables() throws {
        let plan = ModulePlan(
            plan: """
                | layer | folder | modules |
                |---|---|---|
                | system | `Sources/System/` | `CA`, `CB`: headers |
                | 0 language | `Sources/Language/` | `Ground`, `Words` (of `Some` sort), `Bound` |
                | 1 wire | `Sources/Wire/` | `Wire` |
                | 2 tools | `Sources/Tools/` | `tool` (the command line) |

                | module | may import of ours |
                |---|---|
                | Ground | base: everything may import it |
                | Words, Wire | nothing: no Bound |
                | Bound | Words (later CA), CB |
                | tool | everything |
                """)
        #expect(plan.modules.map(\.name) == ["CA", "CB", "Ground", "Words", "Bound", "Wire", "tool"])
        let bound = try #require(plan.module("Bound"))
        #expect(bound.folder == "Sources/Language/Bound" && bound.mayImport == ["Ground", "Words", "CB"])
        #expect(!bound.isPortable && plan.module("Words")?.isPortable == true)
        #expect(plan.module("Wire")?.folder == "Sources/Wire" && plan.module("Wire")?.mayImport == ["Ground"])
        #expect(plan.module("tool")?.isOpen == true && plan.module("CA")?.mayImport == [])
    }

    @Test func theManifestIsRead() {
        let manifest = Manifest(
            """
            let a: [Target] = [.target(name: "A", dependencies: ["B", .product(name: "C", package: "c"), d], path: "x")]
            products: [.library(name: "TributaryA", targets: ["A"])]
            """)
        #expect(manifest.targets.map(\.name) == ["A"])
        #expect(manifest.targets.first?.dependencies.isSuperset(of: ["B", "C"]) == true)
        #expect(manifest.libraries.map(\.name) == ["TributaryA"])
        #expect(manifest.libraries.map(\.targets) == [["A"]])
    }
}
