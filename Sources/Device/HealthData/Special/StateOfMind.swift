import FHIR

/// A state of mind, in which a person rates how they feel: HealthKit's HKStateOfMind.
public struct StateOfMind: SpecialRecord {
    /// The kinds of entries.
    public enum Kind: Int, Sendable, CaseIterable {
        /// The emotion of a moment.
        case momentaryEmotion = 1
        /// The mood of a day.
        case dailyMood
    }

    /// The pleasantness, in seven steps.
    public enum ValenceClassification: Int, Sendable, CaseIterable {
        /// Very unpleasant.
        case veryUnpleasant = 1
        /// Unpleasant.
        case unpleasant
        /// Slightly unpleasant.
        case slightlyUnpleasant
        /// Neutral.
        case neutral
        /// Slightly pleasant.
        case slightlyPleasant
        /// Pleasant.
        case pleasant
        /// Very pleasant.
        case veryPleasant
    }

    public var start: HealthInstant
    public var feeling: Kind
    /// Pleasantness from -1, very unpleasant, to 1, very pleasant.
    public let valence: Double
    public let classification: ValenceClassification
    /// Words that describe it, without duplicates.
    public let labels: [HealthOption]
    /// The associated aspects of life, without duplicates.
    public let associations: [HealthOption]
    public var origin: SpecialOrigin

    /// - Parameters:
    ///   - classification: HealthKit's classification; nil to divide the range into seven equal parts and use the one
    ///     that contains the valence.
    ///   - labels: HealthKit's raw values of the labels; unknown ones are omitted.
    ///   - associations: HealthKit's raw values of the associations; unknown ones are omitted.
    /// - Returns: nil if the valence is not from -1 to 1.
    public init?(
        start: HealthInstant, feeling: Kind, valence: Double, classification: ValenceClassification? = nil,
        labels: [Int], associations: [Int], origin: SpecialOrigin
    ) {
        guard (-1...1).contains(valence) else { return nil }
        self.start = start
        self.feeling = feeling
        self.valence = valence
        let part = min(7, Int(((valence + 1) / 2 * 7).rounded(.down)) + 1)
        self.classification = classification ?? ValenceClassification(rawValue: part) ?? .neutral
        self.labels = Self.options(labels, names: Self.labelNames, prefix: "HKStateOfMindLabel")
        self.associations = Self.options(associations, names: Self.associationNames, prefix: "HKStateOfMindAssociation")
        self.origin = origin
    }

    public var kind: SpecialKind { .stateOfMind }
    public var time: SpecialTime { .moment(start) }

    public var fingerprint: SampleFingerprint {
        var content = RecordContent(self)
        content.add(feeling.rawValue)
        content.add(ExactDecimal.text(valence))
        for option in labels + associations { content.add(option.code) }
        return content.fingerprint
    }

    /// Returns the observation: kind, valence and classification, then a component for each label and association.
    public func observation(subject: String?, device: JSON? = nil, extensions: [JSON] = []) -> Observation {
        var parts = ObservationParts()
        parts.add(ComponentCode.healthKit("HKStateOfMindKind", "State of Mind Kind"), feeling.option)
        if let number = JSONNumber(text: ExactDecimal.text(valence)) {
            parts.add(
                ComponentCode.healthKit("HKStateOfMindValence", "State of Mind Valence"),
                SpecialQuantity(number, HealthUnit("1", "from -1 to 1")))
        }
        parts.add(
            ComponentCode.healthKit("HKStateOfMindValenceClassification", "State of Mind Valence Classification"),
            classification.option)
        for label in labels { parts.add(ComponentCode.healthKit("HKStateOfMindLabel", "State of Mind Label"), label) }
        for association in associations {
            parts.add(ComponentCode.healthKit("HKStateOfMindAssociation", "State of Mind Association"), association)
        }
        return observation(subject: subject, device: device, extensions: extensions, parts)
    }

    public func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON {
        observation(subject: subject, device: device, extensions: extensions).json
    }

    private static func options(_ numbers: [Int], names: [String], prefix: String) -> [HealthOption] {
        var seen: Set<Int> = []
        return numbers.compactMap { number in
            guard names.indices.contains(number - 1), seen.insert(number).inserted else { return nil }
            return option(prefix, name: names[number - 1], number: number)
        }
    }

    fileprivate static func option(_ prefix: String, name: String, number: Int) -> HealthOption {
        HealthOption(prefix + name, words(of: name), aliases: [String(number)])
    }

    /// `SelfCare` becomes "Self care".
    private static func words(of name: String) -> String {
        name.reduce(into: "") { text, letter in
            if letter.isUppercase, !text.isEmpty {
                text += " " + letter.lowercased()
            } else {
                text.append(letter)
            }
        }
    }

    /// HealthKit's labels in the order of their raw values, from 1.
    static let labelNames = """
        Amazed Amused Angry Anxious Ashamed Brave Calm Content Disappointed Discouraged Disgusted Embarrassed Excited \
        Frustrated Grateful Guilty Happy Hopeless Irritated Jealous Joyful Lonely Passionate Peaceful Proud Relieved \
        Sad Scared Stressed Surprised Worried Annoyed Confident Drained Hopeful Indifferent Overwhelmed Satisfied
        """.split(separator: " ").map(String.init)

    /// HealthKit's associations in the order of their raw values, from 1.
    static let associationNames = """
        Community CurrentEvents Dating Education Family Fitness Friends Health Hobbies Identity Money Partner \
        SelfCare Spirituality Tasks Travel Work Weather
        """.split(separator: " ").map(String.init)
}

extension StateOfMind.Kind {
    /// HealthKit's case with its display text.
    public var option: HealthOption {
        StateOfMind.option(
            "HKStateOfMindKind", name: self == .dailyMood ? "DailyMood" : "MomentaryEmotion", number: rawValue)
    }
}

extension StateOfMind.ValenceClassification {
    /// HealthKit's case with its display text.
    public var option: HealthOption {
        let name = String(describing: self)
        return StateOfMind.option(
            "HKStateOfMindValenceClassification", name: name.prefix(1).uppercased() + name.dropFirst(), number: rawValue
        )
    }
}
