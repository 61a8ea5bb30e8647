/// Sensitivity codes and the codes that each covers: those of v3-ActCode below `_InformationSensitivityPolicy`
/// (<https://hl7.org/fhir/R4/v3/InformationSensitivityPolicy/vs.html>) and Tributary's own.
///
/// A line of the table contains a code and its direct parents, of which there may be several.
struct SensitivityCodes: Sendable {
    static let r4 = SensitivityCodes(r4Text)

    /// Tributary's own code: social services, which HEART's scopes contain and v3-ActCode lacks.
    static let socialServices = "SOC"

    /// Additional parents. In R4, substance abuse (ETH) and substance use disorder (SUD) are siblings, but access to
    /// the first is meant to include the second.
    private static let localParents = ["SUD": ["ETH"]]

    /// For each code, itself and all its descendants.
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
            // Walks up to the roots, visiting each code once, so that a cycle ends.
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

    /// Returns the code and all its descendants; empty for an unknown code.
    func covered(by code: String) -> Set<String> { covered[code] ?? [] }

    /// Returns the codes that no other one of them covers, in alphabetical order.
    func highest(of codes: Set<String>) -> [String] {
        codes.filter { code in !codes.contains { $0 != code && covered(by: $0).contains(code) } }.sorted()
    }
}
