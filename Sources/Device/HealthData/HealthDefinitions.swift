import FHIR

/// Definitions of the extensions and codes of health observations that neither R4, HealthKit nor LOINC defines.
public enum HealthDefinitions {
    /// The extensions as FHIR StructureDefinitions: for metadata, for the measured values of a workout's activities,
    /// and for the points of an audiogram.
    public static let extensions: [StructureDefinition] = metadata + activities + audiogram

    /// The codes of ``HealthCodeSystem/component``. The code system is a fragment: an audiogram has a code for each
    /// tested frequency, and a study's own types can add codes.
    public static let components: CodeSystem = {
        var system = CodeSystem(id: "health-component", status: .active, content: .fragment)
        system.url = HealthCodeSystem.component
        system.name = "HealthComponent"
        system.title = "Components of health observations"
        system.description = """
            Parts that no standard code distinguishes: the figures of a workout, the parts of a night's sleep, the lenses of a \
            prescription. The thresholds of an audiogram are named by ear and frequency: audiogram-left-500-Hz.
            """
        system.caseSensitive = true
        system.concept = HealthVocabulary.own.map { code, title in
            var concept = CodeSystem.Concept(code: code)
            concept.display = title
            return concept
        }
        return system
    }()

    private static let metadata = HealthMetadataKey.all.map { key in
        let type =
            switch key.value {
            case .boolean: "boolean"
            case .enumeration: "code"
            case .quantity: "Quantity"
            }
        return definition(
            key.key, urlPrefix: HealthMetadataKey.extensionPrefix, idPrefix: "healthkit-metadata-", title: key.title,
            text: "The value of the key \(key.key) in HealthKit's metadata of the sample.", type: type,
            contexts: ["Observation", "Observation.component"])
    }

    private static let activities = HealthType.workout.components.map { component in
        definition(
            component.identifier, urlPrefix: HealthWorkoutPart.figurePrefix, idPrefix: "workout-activity-",
            title: component.title,
            text: "The figure of one activity of a workout that has several.", type: "Quantity",
            contexts: ["Observation.component"])
    }

    private static let audiogram = AudiogramExtension.allCases.map { part in
        definition(
            part.rawValue, urlPrefix: HealthMetadataKey.extensionPrefix, idPrefix: "healthkit-metadata-",
            title: part.title,
            text: "HealthKit's \(part.rawValue) of a threshold of an audiogram.", type: part.valueType,
            contexts: ["Observation.component"])
    }

    private static func definition(
        _ identifier: String, urlPrefix: String, idPrefix: String, title: String, text: String, type: String,
        contexts: [String]
    ) -> StructureDefinition {
        let words = identifier.split { !$0.isLetter && !$0.isNumber }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        // An id has a maximum of 64 characters.
        let start = ["HKMetadataKey", "HKQuantityTypeIdentifier", "HK"].first { identifier.hasPrefix($0) } ?? ""
        return StructureDefinition.ofExtension(
            id: idPrefix + identifier.dropFirst(start.count), url: urlPrefix + identifier,
            name: (idPrefix == "workout-activity-" ? "WorkoutActivity" : "") + words.joined(), title: title,
            text: text, contexts: contexts, valueType: type)
    }
}
