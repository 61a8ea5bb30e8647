import Foundation
import Testing

/// The names that an app sees of the libraries.
@Suite struct PublicNamesTests {
    private static func libraries() throws -> [(name: String, files: [SourceFile])] {
        let package = PackageFolder.ours
        return try ModuleRules().plan.modules.filter(\.isPortable).map {
            ($0.name, try package.swiftFiles(below: $0.folder))
        }
    }

    @Test func noPublicTypeHasTheNameOfOneOfSwiftFoundationOrSwiftUI() throws {
        let libraries = try Self.libraries()
        #expect(libraries.count > 9)
        for library in libraries {
            let names = PublicNames(of: library.files)
            #expect(names.taken == [], "\(library.name)")
        }
    }

    /// FHIR's own types count here: a library's type of the same name would make both ambiguous.
    @Test func noTwoLibrariesHaveAPublicTypeOfOneName() throws {
        var owners: [String: Set<String>] = [:]
        for library in try Self.libraries() {
            let all = library.files.map { SourceFile(path: "", text: $0.text) }
            for name in PublicNames(of: all).names { owners[name.name, default: []].insert(library.name) }
        }
        #expect(owners.count > 300)
        let shared = owners.filter { $0.value.count > 1 }
        #expect(shared.isEmpty, "\(shared)")
    }

    @Test func aTakenNameIsFoundHoweverItIsDeclared() {
        for line in [
            "public struct Form {", "public final class Text: Sendable {", "@frozen public enum Result {",
            "public actor Section {", "public protocol Transition {", "public typealias Locale = Int",
            "public indirect enum Table {", "@available(macOS 14, *) public struct Unit {",
        ] {
            let file = SourceFile(path: "Sources/Device/Outbox/Some.swift", text: "import Foundation\n\(line)\n}\n")
            #expect(PublicNames(of: [file]).taken.count == 1, "\(line)")
        }
        for line in [
            "struct Form {", "public struct QuestionnaireForm {", "    public enum State {", "// public struct Form",
        ] {
            let file = SourceFile(path: "Sources/Device/Outbox/Some.swift", text: line)
            #expect(PublicNames(of: [file]).taken == [], "\(line)")
        }
        let ofFHIR = SourceFile(
            path: "Sources/Language/FHIR/Views/Resources/Task.swift", text: "public struct Task: X {")
        #expect(PublicNames(of: [ofFHIR]).taken == [])
    }
}
