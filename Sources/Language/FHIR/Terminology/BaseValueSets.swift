/// The value sets that FHIR R4 publishes, with the codes and displays of their concepts
/// (<https://hl7.org/fhir/R4/terminologies-valuesets.html>). Sets with content of LOINC, SNOMED CT and other licensed
/// terminologies, and sets that cannot be listed, are not included.
///
/// The text has a line for each code system, `@number url`, and for each value set, `=url` (`=url|version` if the
/// version is not 4.0.1). Fields are separated by tabs. The other fields of a system are its concepts: `code=display`,
/// or `code` if the display is the code, with the prefix `!` if the concept is abstract. The other fields of a value
/// set are its parts: `+number` is every concept of a system that is not abstract; `@number` is the system of the
/// concepts that follow, each as `code`, or `code=display` if the set has a display of its own. In a code, each of
/// `=!+@\` is escaped by a backslash.
struct BaseValueSets: Sendable {
    static let r4 = BaseValueSets(r4Text)

    private struct Entry: Sendable {
        let version: String
        let line: Range<Int>
    }

    private struct Concept {
        let code: String
        let display: String?
        let isAbstract: Bool
    }

    private static let release = "4.0.1"

    private let text: StaticString
    private let sets: [String: Entry]
    /// The lines of the systems; the index is the number.
    private let systems: [Range<Int>]
    private let numbersOfSystems: [String: Int]

    init(_ text: StaticString) {
        var sets: [String: Entry] = [:]
        var systems: [Range<Int>] = []
        var numbers: [String: Int] = [:]
        text.withUTF8Buffer { bytes in
            var start = 0
            while start < bytes.count {
                var end = start
                var head: Int?
                while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
                    if head == nil, bytes[end] == UInt8(ascii: "\t") { head = end }
                    end += 1
                }
                let name = String(decoding: bytes[start..<(head ?? end)], as: UTF8.self)
                if name.hasPrefix("@"), let space = name.firstIndex(of: " ") {
                    numbers[String(name[name.index(after: space)...])] = systems.count
                    systems.append(start..<end)
                } else if name.hasPrefix("=") {
                    let canonical = CanonicalURL(String(name.dropFirst()))
                    sets[canonical.url] = Entry(version: canonical.version ?? Self.release, line: start..<end)
                }
                start = end + 1
            }
        }
        self.text = text
        self.sets = sets
        self.systems = systems
        numbersOfSystems = numbers
    }

    /// The canonical URLs of the value sets.
    var urls: [String] { sets.keys.sorted() }

    /// Returns the codings of a value set, without abstract concepts; nil if R4 has no such set, or not this version of
    /// it.
    func codings(of canonical: CanonicalURL) -> [Coding]? {
        guard let entry = sets[canonical.url], canonical.version.map({ $0 == entry.version }) ?? true else {
            return nil
        }
        var codings: [Coding] = []
        var system: (url: String, displays: [String: String])?
        for field in fields(of: entry.line).dropFirst() {
            if field.hasPrefix("+"), let number = Int(field.dropFirst()) {
                codings += self.codings(ofSystem: number)
            } else if field.hasPrefix("@"), let number = Int(field.dropFirst()) {
                let (url, concepts) = concepts(ofSystem: number)
                system = (
                    url,
                    Dictionary(
                        concepts.map { ($0.code, $0.display ?? $0.code) }, uniquingKeysWith: { first, _ in first })
                )
            } else if let system {
                let concept = Self.concept(field)
                codings.append(
                    Coding(
                        system: system.url, code: concept.code,
                        display: concept.display ?? system.displays[concept.code]))
            }
        }
        return codings
    }

    /// Returns the codings of a code system of HL7, without abstract concepts; nil if it is unknown or incomplete.
    func codings(ofSystem url: String) -> [Coding]? {
        // Of other code systems, the table contains only the concepts in R4's value sets.
        guard url.hasPrefix("http://hl7.org/") || url.hasPrefix("http://terminology.hl7.org/"),
            let number = numbersOfSystems[url]
        else { return nil }
        return codings(ofSystem: number)
    }

    private func codings(ofSystem number: Int) -> [Coding] {
        let (url, concepts) = concepts(ofSystem: number)
        return concepts.filter { !$0.isAbstract }.map {
            Coding(system: url, code: $0.code, display: $0.display ?? $0.code)
        }
    }

    private func concepts(ofSystem number: Int) -> (url: String, concepts: [Concept]) {
        guard systems.indices.contains(number) else { return ("", []) }
        let fields = fields(of: systems[number])
        let url = fields.first.map { $0.drop { $0 != " " }.dropFirst() } ?? ""
        return (String(url), fields.dropFirst().map(Self.concept))
    }

    private func fields(of line: Range<Int>) -> [Substring] {
        text.withUTF8Buffer { String(decoding: $0[line], as: UTF8.self) }
            .split(separator: "\t", omittingEmptySubsequences: false)
    }

    private static func concept(_ field: Substring) -> Concept {
        let isAbstract = field.hasPrefix("!")
        var rest = (isAbstract ? field.dropFirst() : field)[...]
        var code = ""
        while let character = rest.popFirst() {
            if character == "=" { return Concept(code: code, display: String(rest), isAbstract: isAbstract) }
            if character == "\\", let escaped = rest.popFirst() {
                code.append(escaped)
            } else {
                code.append(character)
            }
        }
        return Concept(code: code, display: nil, isAbstract: isAbstract)
    }
}
