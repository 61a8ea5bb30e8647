import Core
import Crypto
import FHIR
import Foundation

/// The index by which search finds a resource. Pure.
enum SearchIndex {
    /// A value of a token or uri parameter.
    struct Token: Hashable, Comparable {
        let parameter: String
        /// Empty where there is none.
        let system: String
        let code: String

        /// Whether each resource has another value: such values are in the index themselves, by their print, and not
        /// numbered.
        var isOfItsOwn: Bool { Self.isOfItsOwn(parameter) }

        static func < (left: Token, right: Token) -> Bool {
            (left.parameter, left.system, left.code) < (right.parameter, right.system, right.code)
        }

        static func isOfItsOwn(_ parameter: String) -> Bool { parameter == SearchParameter.identifier.rawValue }
    }

    /// What the index has of a value that is a resource's own: half of its SHA-256, by which nobody finds another.
    static func print(of value: String) -> [UInt8] { Array(SHA256.hash(data: Data(value.utf8)).prefix(16)) }

    /// So many bytes of a print does PostgreSQL's index have.
    static let printStart = 7

    /// The beginning of a print, which another one has by chance once in 2^56.
    static func start(ofPrint print: [UInt8]) -> [UInt8] { Array(print.prefix(printStart)) }

    /// What the index has of a system or a code. Of a text that no key of PostgreSQL takes
    /// (https://www.postgresql.org/docs/current/btree.html, a third of a page) it has the digest, which is
    /// looked for likewise.
    static func indexed(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        return digestPrefix + Hexadecimal.text(SHA256.hash(data: Data(text.utf8)))
    }

    /// Whether a text of the index may be the digest of a longer one.
    static func isDigest(_ text: String) -> Bool { text.hasPrefix(digestPrefix) }

    private static let digestPrefix = "sha256:"

    private static let longest = 500

    /// The id of the one Patient whose the resource is (``FHIR/Resource/owners``); a Patient is stored under its own.
    static func subject(of resource: Resource, id: String) -> String? {
        resource.resourceType == Patient.resourceType ? id : resource.owners.one
    }

    static func tokens(of resource: Resource) -> Set<Token> {
        // JSON permits a zero byte inside a text, no column does; nobody can ask for such a one.
        allTokens(of: resource).filter { !$0.system.utf8.contains(0) && !$0.code.utf8.contains(0) }
    }

    private static func allTokens(of resource: Resource) -> Set<Token> {
        var tokens: Set<Token> = []
        // Some types have one identifier, others have several.
        let one: Identifier? = resource.object[element: "identifier"]
        let identifiers: [Identifier] = one.map { [$0] } ?? resource.object[elements: "identifier"]
        for identifier in identifiers {
            guard let value = identifier.value else { continue }
            tokens.insert(Token(parameter: "identifier", system: identifier.system ?? "", code: value))
        }
        if let code: CodeableConcept = resource.object[element: "code"] {
            for coding in code.coding {
                guard let value = coding.code else { continue }
                tokens.insert(Token(parameter: "code", system: coding.system ?? "", code: value))
            }
        }
        if let form: String = resource.object[value: "questionnaire"] {
            // A canonical is found with and without its version.
            tokens.insert(Token(parameter: "questionnaire", system: "", code: form))
            tokens.insert(Token(parameter: "questionnaire", system: "", code: CanonicalURL(form).url))
        }
        return tokens
    }

    /// When the thing happened, as a half-open range of milliseconds; nil where the resource has no such element.
    static func date(of resource: Resource) -> (low: Int64, high: Int64)? {
        switch resource.resourceType {
        case Observation.resourceType:
            switch Observation(resource.object).effective {
            case .dateTime(let time)?, .instant(let time)?: return range(time)
            case .period(let period)?: return range(period)
            default: return nil
            }
        case QuestionnaireResponse.resourceType: return range(QuestionnaireResponse(resource.object).authored)
        case FHIR.Consent.resourceType: return range(FHIR.Consent(resource.object).dateTime)
        case Contract.resourceType: return range(Contract(resource.object).issued)
        case Encounter.resourceType: return Encounter(resource.object).period.flatMap(range)
        default: return nil
        }
    }

    private static func range(_ time: DateTime?) -> (low: Int64, high: Int64)? {
        guard let value = time else { return nil }
        return (Milliseconds.of(value.start()), Milliseconds.of(value.end()))
    }

    /// A period without an end reaches as far as can be.
    private static func range(_ period: Period) -> (low: Int64, high: Int64)? {
        guard period.start != nil || period.end != nil else { return nil }
        return (
            period.start.map { Milliseconds.of($0.start()) } ?? .min,
            period.end.map { Milliseconds.of($0.end()) } ?? .max
        )
    }
}
