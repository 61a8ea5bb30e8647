import FHIR

/// An audiogram, which measures a person's hearing of tones: HealthKit's HKAudiogramSample.
public struct Audiogram: SpecialRecord {
    public enum Ear: String, Sendable, CaseIterable { case left, right }

    /// The softest tone that one ear heard at a frequency.
    public struct Threshold: Sendable, Hashable {
        /// The ear.
        public let ear: Ear
        /// Frequency in hertz.
        public let frequency: SpecialQuantity
        /// Hearing level in decibel: 0 is normal, a higher level is worse.
        public let level: SpecialQuantity
        /// Whether the other ear was masked with noise.
        public var isMasked: Bool?
        /// The measurement range of the equipment: a level outside of it was set to the bound.
        public var lowerBound: SpecialQuantity?
        public var upperBound: SpecialQuantity?

        public init(
            ear: Ear, frequency: SpecialQuantity, level: SpecialQuantity, isMasked: Bool? = nil,
            lowerBound: SpecialQuantity? = nil, upperBound: SpecialQuantity? = nil
        ) {
            self.ear = ear
            self.frequency = frequency
            self.level = level
            self.isMasked = isMasked
            self.lowerBound = lowerBound
            self.upperBound = upperBound
        }
    }

    public var start: HealthInstant
    public var end: HealthInstant
    public let thresholds: [Threshold]
    public var origin: SpecialOrigin

    /// Maximum number of thresholds. HealthKit's limit is 30 frequencies for each ear.
    public static let maximumThresholds = 200

    /// - Returns: nil if there is no threshold or more than ``maximumThresholds``.
    public init?(start: HealthInstant, end: HealthInstant, thresholds: [Threshold], origin: SpecialOrigin) {
        guard (1...Self.maximumThresholds).contains(thresholds.count) else { return nil }
        self.start = start
        self.end = end
        self.thresholds = thresholds
        self.origin = origin
    }

    public var kind: SpecialKind { .audiogram }
    public var time: SpecialTime { .period(start, end) }

    public var fingerprint: SampleFingerprint {
        var content = RecordContent(self)
        for threshold in thresholds {
            content.add(threshold.ear.rawValue)
            content.add(threshold.frequency)
            content.add(threshold.level)
            content.add(threshold.isMasked.map { $0 ? 1 : 0 })
            content.add(threshold.lowerBound)
            content.add(threshold.upperBound)
        }
        return content.fingerprint
    }

    /// The repairs that were made to read the values.
    public var repairs: Repairs {
        thresholds.reduce(into: Repairs()) {
            $0.formUnion($1.frequency.repairs)
            $0.formUnion($1.level.repairs)
        }
    }

    /// Returns the observation, with one component for each ear and frequency. The frequency is in the component's code
    /// and text, and in an extension in hertz.
    public func observation(subject: String?, device: JSON? = nil, extensions: [JSON] = []) -> Observation {
        var parts = ObservationParts()
        for threshold in thresholds {
            parts.add(threshold.code, threshold.level, extensions: threshold.extensions)
        }
        return observation(subject: subject, device: device, extensions: extensions, parts)
    }

    public func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON {
        observation(subject: subject, device: device, extensions: extensions).json
    }
}

extension Audiogram.Threshold {
    var code: JSON {
        let hertz = frequency.number.text
        let side = ear == .left ? "Left" : "Right"
        return ComponentCode.own(
            "audiogram-\(ear.rawValue)-\(hertz)-Hz", "\(side) ear at \(hertz) Hz",
            healthKit: "HKAudiogramSensitivityPoint.\(ear.rawValue)EarSensitivity",
            healthKitTitle: "\(side) Ear Sensitivity")
    }

    var extensions: [JSON] {
        var result = [AudiogramExtension.frequency.holding(frequency.json)]
        if let isMasked { result.append(AudiogramExtension.masked.holding(.bool(isMasked))) }
        var range = JSONObject()
        if let lowerBound { range["low"] = lowerBound.json }
        if let upperBound { range["high"] = upperBound.json }
        if !range.isEmpty { result.append(AudiogramExtension.clampingRange.holding(.object(range))) }
        return result
    }
}

/// The extensions of an audiogram's components, for data of HealthKit's thresholds that has no element in FHIR. They
/// are named by the class and property in Apple's documentation.
enum AudiogramExtension: String, CaseIterable {
    case frequency = "HKAudiogramSensitivityPoint.frequency"
    case masked = "HKAudiogramSensitivityTest.masked"
    case clampingRange = "HKAudiogramSensitivityTest.clampingRange"

    /// The type of the value.
    var valueType: String {
        switch self {
        case .frequency: "Quantity"
        case .masked: "boolean"
        case .clampingRange: "Range"
        }
    }

    /// The name shown to people.
    var title: String {
        switch self {
        case .frequency: "Frequency"
        case .masked: "Masked"
        case .clampingRange: "Clamping Range"
        }
    }

    func holding(_ value: JSON) -> JSON {
        let name = valueType.prefix(1).uppercased() + valueType.dropFirst()
        return Extension(url: HealthMetadataKey.extensionPrefix + rawValue, value: OpenChoice(type: name, json: value))
            .json
    }
}
