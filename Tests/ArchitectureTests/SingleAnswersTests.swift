import Testing

/// Each rule of Core has one implementation.
@Suite struct SingleAnswersTests {
    let package = PackageFolder.ours
    let answers = SingleAnswers()

    @Test func noSourceAnswersWhatCoreAnswers() throws {
        let files = try package.swiftFiles(below: "Sources")
        try #require(files.count > 100)
        let breaches = files.flatMap { answers.secondAnswers(in: $0) }
        #expect(breaches.isEmpty, "\(breaches.map(\.description).joined(separator: "\n"))")
    }

    @Test func noTestAnswersWhatTestSupportAnswers() throws {
        let files = try package.swiftFiles(below: "Tests").filter { !$0.path.hasPrefix("Tests/ArchitectureTests/") }
        try #require(files.count > 100)
        let breaches = files.flatMap { answers.secondAnswers(in: $0, to: SingleAnswers.testMatters) }
        #expect(breaches.isEmpty, "\(breaches.map(\.description).joined(separator: "\n"))")
    }

    @Test func everyHomeOfAnAnswerExists() throws {
        for matter in SingleAnswers.matters + SingleAnswers.testMatters {
            guard let home = matter.home else { continue }
            let files = try package.swiftFiles(below: home.split(separator: "/").prefix(2).joined(separator: "/"))
            #expect(files.contains { $0.path.hasPrefix(home) }, "\(home) is not there")
        }
    }

    @Test(arguments: [
        "let era = days / 146097", "let digits = Array(\"0123456789abcdef\".utf8)", "String(format: \"%02x\", byte)",
        "text.replacingOccurrences(of: \"+\", with: \"-\")", "text.addingPercentEncoding(withAllowedCharacters: all)",
        "try JSONSerialization.jsonObject(with: data)", "let value = try JSONDecoder().decode(Answer.self, from: body)",
        "struct DERReader {", "high.dividingFullWidth((a, b))", "func floored(_ number: Int) -> Int {",
        "extension StorageError: CodedError {}", "bytes[8] = bytes[8] & 0x3F | 0x80", "let adler = sum % 65521",
    ])
    func aSecondAnswerIsFound(line: String) {
        let file = SourceFile(path: "Sources/Server/Identity/Some.swift", text: "// why\n\(line)\n")
        #expect(answers.secondAnswers(in: file).map(\.line) == [2])
        let comment = SourceFile(path: "Sources/Server/Identity/Some.swift", text: "    /// \(line)\n")
        #expect(answers.secondAnswers(in: comment) == [])
    }

    @Test func answersAreAllowedInTheirHomeAndInListedExceptions() {
        let calendar = SourceFile(
            path: "Sources/Language/Core/Time/CivilDate.swift", text: "let era = days / 146_097\n")
        #expect(answers.secondAnswers(in: calendar) == [])
        let padded = "text.replacing(\"+\", with: \"-\")\n"
        #expect(
            answers.secondAnswers(in: SourceFile(path: "Sources/Language/FHIRPath/Evaluator+Text.swift", text: padded))
                == [])
        #expect(
            answers.secondAnswers(in: SourceFile(path: "Sources/Language/FHIRPath/Lexer.swift", text: padded)).count
                == 1
        )
    }

    @Test func aSecondGeneratorInTestsIsFound() {
        let file = SourceFile(path: "Tests/WireTests/Some.swift", text: "state &+= 0x9E37_79B9_7F4A_7C15\n")
        #expect(answers.secondAnswers(in: file, to: SingleAnswers.testMatters).count == 1)
    }
}
