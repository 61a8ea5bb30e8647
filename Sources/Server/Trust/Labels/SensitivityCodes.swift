/// The codes that say why a record is sensitive, and which of them others cover: those of v3-ActCode below
/// `_InformationSensitivityPolicy` (<https://hl7.org/fhir/R4/v3/InformationSensitivityPolicy/vs.html>) and our own.
///
/// A line of the table is a code and the codes right above it, of which there may be several.
struct SensitivityCodes: Sendable {
    static let r4 = SensitivityCodes(r4Text)

    /// The code of our own system: social services, which HEART's scopes name and v3-ActCode lacks.
    static let socialServices = "SOC"

    /// What R4 puts beside each other and a practice treats as kinds: in R4 a record about substance abuse (ETH) and one
    /// about a substance use disorder (SUD) are siblings, and whoever may see the first is meant to see the second.
    private static let localParents = ["SUD": ["ETH"]]

    /// Of each code, itself and all below it.
    private let covered: [String: Set<String>]

    init(_ table: StaticString) {
        var parents = SensitivityCodes.localParents
        for line in table.description.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard let code = words.first else { continue }
            parents[code, default: []] += words.dropFirst()
        }
        parents[SensitivityCodes.socialServices] = []
        var covered: [String: Set<String>] = [:]
        for code in parents.keys {
            // Up to the top, each code once, so that a circle ends.
            var waiting = [code]
            var seen: Set<String> = [code]
            while let next = waiting.popLast() {
                covered[next, default: []].insert(code)
                for parent in parents[next] ?? [] where seen.insert(parent).inserted { waiting.append(parent) }
            }
        }
        self.covered = covered
    }

    /// All codes.
    var all: Set<String> { Set(covered.keys) }

    func contains(_ code: String) -> Bool { covered[code] != nil }

    /// The code and all below it; empty for a code that is none of these.
    func covered(by code: String) -> Set<String> { covered[code] ?? [] }

    /// Of some codes those that no other of them covers, in alphabetical order.
    func highest(of codes: Set<String>) -> [String] {
        codes.filter { code in !codes.contains { $0 != code && covered(by: $0).contains(code) } }.sorted()
    }
}
