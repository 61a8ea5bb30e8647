import FHIR
import UCUM

/// The value sets of R4's own bindings, expanded from HL7's definitions.
///
/// The text is a list of words: `=number url` begins a value set, `@system` a code system in it, other words are its
/// codes. `*` represents codes that follow a rule (languages, media types, currencies, UCUM). A value set without a
/// system could not be expanded from the definitions. `_20` is a space, `_5F` an underscore.
public struct BuiltInTerminology: Sendable {
    /// The value sets of R4's own bindings.
    public static let r4 = BuiltInTerminology(r4Text)

    /// Whether a code is in a value set.
    public enum Membership: Sendable, Equatable {
        /// The value set contains the code.
        case inside
        /// The value set does not contain the code.
        case outside
        /// The value set is unknown, or only partly known.
        case unknown
    }

    struct System: Sendable {
        let url: String
        let codes: Set<String>
        let isRule: Bool
    }

    struct Entry: Sendable {
        let url: String
        let systems: [System]
    }

    let entries: [Entry]
    private let byURL: [String: Int]

    init(_ text: StaticString) {
        var entries: [Entry] = []
        var byURL: [String: Int] = [:]
        var url = ""
        var systems: [System] = []
        var system: String?
        var codes: Set<String> = []
        func closeSystem() {
            if let name = system { systems.append(System(url: name, codes: codes, isRule: codes.contains("*"))) }
            (system, codes) = (nil, [])
        }
        func closeEntry() {
            closeSystem()
            if !url.isEmpty {
                byURL[url] = entries.count
                entries.append(Entry(url: url, systems: systems))
            }
            systems = []
        }
        var words = text.description.utf8.split { $0 == 0x20 || $0 == 0x0A }.map { Substring($0) }[...]
        while let word = words.popFirst() {
            switch word.first {
            case "=" where Int(word.dropFirst()) != nil && words.first?.contains(":") == true:
                closeEntry()
                url = String(words.removeFirst())
            case "@":
                closeSystem()
                system = String(word.dropFirst())
            default:
                codes.insert(
                    word.utf8.contains(UInt8(ascii: "_"))
                        ? String(word).replacing("_20", with: " ").replacing("_5F", with: "_") : String(word))
            }
        }
        closeEntry()
        self.entries = entries
        self.byURL = byURL
    }

    /// Returns the canonical URL of the value set with the number in a binding.
    func url(_ number: Int) -> String { entries.indices.contains(number) ? entries[number].url : "" }

    /// Returns the number of a value set by its canonical URL, ignoring a version after `|`.
    func number(_ url: String) -> Int? {
        byURL[CanonicalURL(url).url]
    }

    /// Returns whether a value set contains a code. Without a system, the code is searched in all systems of the value
    /// set.
    public func membership(of code: String, system: String?, in url: String) -> Membership {
        number(url).map { membership(of: code, system: system, number: $0) } ?? .unknown
    }

    func membership(of code: String, system: String?, number: Int) -> Membership {
        guard entries.indices.contains(number), !entries[number].systems.isEmpty else { return .unknown }
        for candidate in entries[number].systems where system == nil || candidate.url == system {
            if candidate.isRule {
                if CodeRule.allows(code, system: candidate.url) { return .inside }
            } else if candidate.codes.contains(code) {
                return .inside
            }
        }
        return .outside
    }

    /// Returns the system of a value set's code that is written without one
    /// (<https://hl7.org/fhir/R4/datatypes.html#code>); nil if the value set is unknown or none of its systems has the
    /// code.
    ///
    /// - Parameter number: the number of the value set in a binding.
    public func system(of code: String, valueSet number: Int) -> String? {
        guard entries.indices.contains(number) else { return nil }
        let systems = entries[number].systems
        if systems.count == 1 { return systems[0].url }
        return systems.first { system in
            system.isRule ? CodeRule.allows(code, system: system.url) : system.codes.contains(code)
        }?.url
    }

    /// Whether the value set could be expanded.
    func isKnown(_ number: Int) -> Bool { entries.indices.contains(number) && !entries[number].systems.isEmpty }

    /// Whether a value set contains codes of the system.
    func hasSystem(_ system: String, number: Int) -> Bool {
        entries.indices.contains(number) && entries[number].systems.contains { $0.url == system }
    }

    /// Returns some codes of a value set, for a message.
    func examples(_ number: Int) -> String {
        guard entries.indices.contains(number) else { return "" }
        let codes = entries[number].systems.filter { !$0.isRule }.flatMap(\.codes).sorted()
        let shown = codes.prefix(12).joined(separator: ", ")
        return codes.count > 12 ? shown + ", …" : shown
    }
}
