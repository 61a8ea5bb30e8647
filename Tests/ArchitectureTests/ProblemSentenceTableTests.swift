import Foundation
import Testing

/// The sentences of the problems of forms and responses, and their tables.
@Suite struct ProblemSentenceTableTests {
    private let package = PackageFolder.ours

    /// Returns the sentences in the code of a folder: literals of several words that end like a sentence.
    private func sentences(below folder: String) throws -> [(path: String, text: String)] {
        try package.swiftFiles(below: folder).filter { !Self.ofOthers($0.path) }.flatMap { file in
            SwiftLiterals(file.text).literals.filter(Self.isSentence).map { (file.path, $0) }
        }
    }

    /// Whether the sentences of a file are not those of problems: errors of FHIRPath, and refusals of steps.
    private static func ofOthers(_ path: String) -> Bool {
        path.contains("/Replay/") || path.hasSuffix("/FormExpression.swift")
    }

    private static func isSentence(_ text: String) -> Bool {
        guard !text.contains("\n"), text.split(separator: " ").count >= 3 else { return false }
        let words = text.split { !$0.isLetter }.filter { $0.count > 1 }
        return words.count > 1 && text.contains(/(?:\.|: \{[0-9]+\})$/)
    }

    /// Returns the English templates of the tables of a language.
    private func templates(_ language: String) throws -> Set<String> {
        let files = [
            "Sources/Device/FormLanguages/SentenceTable+\(language).swift",
            "Sources/Tools/FormAuthoring/Languages/AuthorSentences+\(language).swift",
        ]
        var templates: Set<String> = []
        for file in files {
            let text = try String(contentsOf: package.root.appendingPathComponent(file), encoding: .utf8)
            let table = try #require(SwiftLiterals(text).literals.first { $0.contains("\n") })
            let lines = table.split(separator: "\n").map(String.init)
            #expect(lines.count.isMultiple(of: 2), "\(file) has no pairs of lines")
            for index in stride(from: 0, to: lines.count, by: 2) { templates.insert(lines[index]) }
        }
        return templates
    }

    @Test(arguments: ["German", "Spanish", "French"])
    func everySentenceOfAProblemIsInTheTableOfALanguage(language: String) throws {
        let known = try templates(language)
        let found =
            try sentences(below: "Sources/Device/Questionnaires")
            + sentences(below: "Sources/Tools/FormAuthoring/Review")
        try #require(known.count > 100 && found.count > 120)
        for (path, text) in found { #expect(known.contains(text), "\(path): \(text)") }
    }

    @Test func literalsAreFoundWithTheirParameters() {
        let code = ##"""
            report("a \(one(")")) b" + "c \(two)") // "no"
            let pattern = /["']/
            let longer = """
                The first \
                line "\("inner" + name)".
                """
            let raw = #"\(x) \#(y)"#
            """##
        #expect(
            SwiftLiterals(code).literals
                == [")", "a {1} bc {1}", "']/", "inner", "The first line \"{1}\".", "\\(x) {1}"])
    }
}
