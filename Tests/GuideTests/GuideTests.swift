import DeviceSystem
import FHIR
import Foundation
import InformedConsent
import Outbox
import Questionnaires
import Testing
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The guides' examples in Swift: they compile, and give the results that the guides state.
@Suite struct GuideTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Returns the Swift blocks of a guide.
    private static func examples(in guide: String) -> [[String]] {
        guide.components(separatedBy: "\n```swift\n").dropFirst().map { rest in
            let block = rest.components(separatedBy: "\n```").first ?? ""
            return block.components(separatedBy: "\n")
        }
    }

    /// Whether the lines belong to an app's manifest; Tests/Integration/test_package.py resolves it.
    private static func isOfManifest(_ lines: [String]) -> Bool {
        lines.first.map { $0.hasPrefix(".product(") || $0.hasPrefix("// swift-tools-version") } ?? false
    }

    /// The texts of the programs of the app developer's guide, by their file names.
    private static func programs() throws -> [String: String] {
        let folder = root.appendingPathComponent("Tests/GuideTests/Programs")
        var programs: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
            programs[name] = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        }
        return programs
    }

    /// Whether the lines are consecutive lines of a file with equal extra indentation.
    private static func stand(_ lines: [String], in code: [String]) -> Bool {
        guard let first = lines.first else { return false }
        return code.indices.contains { start in
            guard code[start].hasSuffix(first), start + lines.count <= code.count else { return false }
            let indent = String(code[start].dropLast(first.count))
            guard indent.allSatisfy({ $0 == " " }) else { return false }
            return zip(lines, code[start...]).allSatisfy { $0.isEmpty ? $1.isEmpty : indent + $0 == $1 }
        }
    }

    /// Each program is a file with its imports, which a reader can copy as it is. All of them compile in this module;
    /// Tests/Integration/test_package.py type-checks them as an app's.
    @Test func programsOfTheAppDevelopersGuideAreWholeFiles() throws {
        let programs = try Self.programs()
        let examples = try Self.examples(in: Self.text("docs/guide-app-developer.md"))
            .filter { !Self.isOfManifest($0) }.map { $0.joined(separator: "\n") + "\n" }
        #expect(examples.count == programs.count && examples.count > 15)
        for example in examples {
            #expect(programs.values.contains(example), "no file has this program:\n\(example)")
            #expect(example.hasPrefix("import "), "without imports:\n\(example)")
        }
        for (name, text) in programs {
            #expect(examples.filter { $0 == text }.count == 1, "\(name) is not in the guide, or twice")
        }
    }

    @Test(arguments: [
        ("docs/language.md", ["LanguageGuide"], 3), ("README.md", ["Programs/AnswerForm"], 1),
        ("docs/accounts.md", ["AccountsGuide"], 11), ("docs/care-plans.md", ["CarePlansGuide"], 7),
    ])
    func examplesOfTheGuideAreCompiledCode(guide: String, files: [String], count: Int) throws {
        let code = try files.flatMap { try Self.text("Tests/GuideTests/\($0).swift").components(separatedBy: "\n") }
        let examples = try Self.examples(in: Self.text(guide)).filter { !Self.isOfManifest($0) }
        #expect(examples.count == count)
        for example in examples {
            for line in example where line.hasPrefix("import ") { #expect(code.contains(line), "\(line)") }
            let body = Array(example.drop { $0.hasPrefix("import ") || $0.isEmpty })
            #expect(Self.stand(body, in: code), "\(guide) and \(files) differ:\n\(body.joined(separator: "\n"))")
        }
    }

    /// Each library product has an article with its first program, and the program is compiled here.
    @Test func everyLibraryHasAnArticleWithAFirstProgram() throws {
        let manifest = try Self.text("Package.swift")
        let code = try Self.text("Tests/GuideTests/LibraryArticles.swift").components(separatedBy: "\n")
        let products = manifest.matches(of: /\.library\(name: "Tributary(\w+)", targets: \["(\w+)"\]\)/)
        #expect(products.count > 9)
        let articles = try FileManager.default.subpathsOfDirectory(atPath: Self.root.path + "/Sources")
            .filter { $0.hasSuffix(".md") }.map { "/" + $0 }
        for product in products {
            let module = String(product.output.2)
            let path = try #require(articles.first { $0.hasSuffix("/\(module).docc/\(module).md") }, "\(module)")
            let article = try Self.text("Sources/\(path)")
            #expect(article.hasPrefix("# ``\(module)``\n") && article.contains("`Tributary\(module)`"))
            let examples = Self.examples(in: article)
            #expect(examples.count == 1, "\(module)")
            for example in examples {
                #expect(example.first == "import \(module)" && code.contains("import \(module)"))
                let body = Array(example.drop { $0.hasPrefix("import ") || $0.isEmpty })
                #expect(Self.stand(body, in: code), "\(module):\n\(body.joined(separator: "\n"))")
            }
        }
    }

    /// The programs that an app developer reads first must be short.
    @Test func eachOfTheFiveProgramsHasLessThanTwelveLines() throws {
        let guide = try Self.text("docs/guide-app-developer.md")
        let section = try #require(
            guide.components(separatedBy: "\n## Five programs\n").dropFirst().first?.components(separatedBy: "\n## ")
                .first)
        let programs = Self.examples(in: section)
        #expect(programs.count == 5)
        for program in programs {
            // The statements, which are indented: no imports, and neither the first nor the last line of the function.
            let signature = program.firstIndex { $0.hasSuffix("{") } ?? 0
            let statements = program.dropFirst(signature + 1).prefix { $0 != "}" }
            #expect((1..<12).contains(statements.count), "\(program.joined(separator: "\n"))")
        }
    }

    /// Each block replaces a block of CMHealth's README.
    @Test func eachBlockOfTheGuideOfAccountsHasLessThanTwelveLines() throws {
        let blocks = try Self.examples(in: Self.text("docs/accounts.md"))
        #expect(blocks.count > 9)
        for block in blocks { #expect(block.count < 12, "\(block.first ?? "")") }
    }

    /// The statements about typed views in the comparison with FHIRModels.
    @Test func typedViewKeepsUnknownMembersAndTheDigitsOfNumbers() throws {
        let bytes = Data(
            #"{"resourceType":"Patient","x":{"n":1.50},"name":[{"family":"Roe"}],"birthDate":"1970","active":"no"}"#
                .utf8)
        let (family, text) = try LanguageGuide.comparison(bytes: bytes)
        #expect(family == "Roe")
        #expect(
            text
                == #"{"resourceType":"Patient","x":{"n":1.50},"name":[{"family":"Roe"}],"birthDate":"1990-05","active":true}"#
        )
    }

    @Test func everyProductThatTheGuideNamesIsOneOfThePackage() throws {
        let manifest = try Self.text("Package.swift")
        let guide = try Self.text("docs/guide-app-developer.md")
        let names = Set(guide.matches(of: /Tributary[A-Z][A-Za-z]+/).map { String($0.output) })
        #expect(names.count > 4)
        for name in names { #expect(manifest.contains("\"\(name)\""), "\(name)") }
    }

    /// The process has its own time zone: that of the test process may be UTC, where a lost offset is not visible.
    @Test func resourcesOfTheGuideHaveThePersonsOffset() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "Asia/Kathmandu", 1)
            tzset()
            let folder = GuideTests.root.appendingPathComponent("Examples/study")
            func data(_ path: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(path)) }
            let (phone, store, study, connection) = try MemoryStudy.device()
            defer { try? FileManager.default.removeItem(at: phone) }
            let signed = try signConsent(
                ConsentTemplate(Resource(data("consent/contract.json"))),
                answers: ConsentAnswers(try JSON(data("answers/consent-1.json"))), name: "Ann Example", store: store)
            let when = signed.contract.json["signer"]?.array?.first?["signature"]?.array?.first?["when"]?.string
            #expect(when?.hasSuffix("+05:45") == true, "\(when ?? "none")")
            _ = try await answerForm(
                MemoryStudy.form(), participant: signed.participant, store: store, connection: connection)
            let response = try #require(await study.received.last { $0.kind == "QuestionnaireResponse" })
            let authored = try #require(DateTime(response.payload["authored"]?.string ?? ""))
            #expect(authored.offsetMinutes == 345)
            #expect(abs(authored.start().timeIntervalSinceNow) < 60)
        }
    }
}
