import HealthData
import StudyFiles

/// The health data of a study: its types, and the kinds in its consent of those that must be named to be released.
struct HealthStudy {
    var table = HealthTypeTable.standard
    let inclusions: Set<HealthSelection.Inclusion>

    /// - Parameter named: the terms in the consent; unknown terms permit nothing.
    init(table: HealthTypeTable = .standard, naming named: Set<String>) {
        self.table = table
        inclusions = Set(named.compactMap(HealthSelection.Inclusion.init))
    }

    init(_ folder: StudyFolder) throws {
        let table = try folder.healthTypes().map { try HealthTypeTable.standard.applying(supplement: $0) }
        self.init(table: table ?? .standard, naming: folder.includedHealthData())
    }

    /// The selection of all permitted data.
    var selection: HealthSelection {
        var selection = HealthSelection(table: table)
        selection.inclusions = inclusions
        return selection
    }

    /// - Throws: `inclusion-not-in-consent` for a kind that the consent does not name.
    func permit(_ asked: [HealthSelection.Inclusion]) throws {
        for inclusion in asked where inclusion.needsConsent && !inclusions.contains(inclusion) {
            throw CommandError(
                "inclusion-not-in-consent",
                "The consent does not name \(inclusion.rawValue), so it must not be taken; see docs/guide-study-team.md."
            )
        }
    }
}
