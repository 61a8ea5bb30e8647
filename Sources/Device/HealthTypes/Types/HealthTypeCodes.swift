import FHIR

/// Finds the health type of codings. The warehouse, the summary of streams and searches use it.
struct HealthTypeCodes: Sendable {
    private struct Code: Hashable {
        let system: String
        let code: String
    }

    /// The types of a code, in the order of the table.
    private let types: [Code: [HealthType]]

    init(_ all: [HealthType]) {
        var types: [Code: [HealthType]] = [:]
        func add(_ codings: [Coding], _ type: HealthType) {
            for coding in codings {
                guard let code = Self.code(coding), !(types[code] ?? []).contains(type) else { continue }
                types[code, default: []].append(type)
            }
        }
        for type in all {
            add(type.codings, type)
            add(type.otherNames.map { HealthType.ownCoding($0, type.title) }, type)
        }
        let further = Self.further
        for type in all { add(further[type.identifier] ?? [], type) }
        self.types = types
    }

    /// Returns the type of codings, and the index of the coding that decides.
    ///
    /// A code of Tributary's own system decides first: it identifies a part of an observation, or one of a few types. A
    /// HealthKit identifier of a type decides next; other HealthKit codes identify parts, so that there is no match.
    /// Otherwise the type with the largest number of terminology codes is returned, and among equal types the type of
    /// the first coding.
    func match(_ codings: [Coding]) -> (type: HealthType, index: Int)? {
        if let index = codings.firstIndex(where: { $0.system == HealthCodeSystem.component && $0.code != nil }) {
            guard let type = Self.code(codings[index]).flatMap({ types[$0]?.first }) else { return nil }
            return (type, index)
        }
        var named: (type: HealthType, index: Int)?
        var votes: [(type: HealthType, index: Int, count: Int)] = []
        for (index, coding) in codings.enumerated() {
            guard let code = Self.code(coding) else { continue }
            let found = types[code] ?? []
            guard code.system != HealthCodeSystem.healthKit else {
                if let type = found.first {
                    if named == nil { named = (type, index) }
                } else if !Self.isIdentifier(code.code) {
                    return nil
                }
                continue
            }
            for type in found {
                if let known = votes.firstIndex(where: { $0.type == type }) {
                    votes[known].count += 1
                } else {
                    votes.append((type, index, 1))
                }
            }
        }
        if let named { return named }
        guard let highest = votes.map(\.count).max(), let best = votes.first(where: { $0.count == highest }) else {
            return nil
        }
        return (best.type, best.index)
    }

    /// Whether a HealthKit code has the form of a type identifier. The type can be newer than the table.
    private static func isIdentifier(_ code: String) -> Bool {
        code.hasPrefix("HK") && code.contains("TypeIdentifier")
    }

    /// Returns a coding with the canonical URL of its system; nil for a coding without a code, and for a code without a
    /// system unless it is a HealthKit identifier.
    private static func code(_ coding: Coding) -> Code? {
        guard let code = coding.code, !code.isEmpty else { return nil }
        guard let system = coding.system, !system.isEmpty else {
            return isIdentifier(code) ? Code(system: HealthCodeSystem.healthKit, code: code) : nil
        }
        return Code(system: spellings[system] ?? system, code: code)
    }

    /// Other URLs and names of code systems. HealthKitToFhir writes `com.apple.health`.
    private static let spellings: [String: String] = {
        var spellings = [
            HealthKitLibrary.healthKitToFhirSystem: HealthCodeSystem.healthKit,
            "urn:oid:2.16.840.1.113883.6.1": HealthCodeSystem.loinc,
            "urn:oid:2.16.840.1.113883.6.96": HealthCodeSystem.snomed,
        ]
        for system in [HealthCodeSystem.healthKit, HealthCodeSystem.loinc, HealthCodeSystem.snomed] {
            let secure = "https" + system.dropFirst("http".count)
            for spelling in [system + "/", secure, secure + "/"] { spellings[spelling] = system }
        }
        return spellings
    }()

    private static let further: [String: [Coding]] = Dictionary(
        TableText.rows(TableText.furtherCodings).compactMap { row in
            guard row.count == 2, let codings = HealthTypeReader.codings(row[1]) else { return nil }
            return (row[0], codings)
        }, uniquingKeysWith: { $0 + $1 })

    /// Rows of the table of further codes that cannot be read or that refer to an unknown type.
    static let faults: [String] = TableText.rows(TableText.furtherCodings).compactMap { row in
        let isGood =
            row.count == 2 && HealthTypeReader.codings(row[1]) != nil && HealthTypeTable.standard.type(row[0]) != nil
        return isGood ? nil : row.first ?? ""
    }
}

extension HealthTypeTable {
    /// Returns the type of an Observation's or a component's codings: by any code of the type in any terminology, by
    /// HealthKit's own code, or by a code of another library. Nil if no coding identifies a type, and for parts of
    /// observations that have codes of their own.
    ///
    /// <https://hl7.org/fhir/R4/observation-definitions.html#Observation.code>
    public func type(of codings: [Coding]) -> HealthType? { codes.match(codings)?.type }

    /// Returns the type and the index of the coding that decides.
    public func match(_ codings: [Coding]) -> (type: HealthType, index: Int)? { codes.match(codings) }
}
