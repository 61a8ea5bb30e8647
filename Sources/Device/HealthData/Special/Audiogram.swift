import FHIR

/// An audiogram, which says how well someone hears tones: HealthKit's HKAudiogramSample.
public struct Audiogram: SpecialRecord {
    public enum Ear: String, Sendable, CaseIterable { case left, right }

    /// The softest tone that one ear heard.
    public struct Threshold: Sendable, Hashable {
        /// The ear.
        public let ear: Ear
        /// In hertz.
        public let frequency: SpecialQuantity
        /// In decibel of hearing level: 0 is the normal, more is worse.
        public let level: SpecialQuantity
        /// Whether the other ear was kept busy with noise.
        public var isMasked: Bool?
        /// The least and the most that the equipment could tell: a level outside was set to the bound.
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

    /// HealthKit's limit is 30 frequencies for each ear.
    public static let maximumThresholds = 200

    /// - Returns: nil where there is no threshold or more than ``maximumThresholds``.
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

    /// The repairs that reading the values needed.
    public var repairs: Repairs {
        thresholds.reduce(into: Repairs()) {
            $0.formUnion($1.frequency.repairs)
            $0.formUnion($1.level.repairs)
        }
    }

    /// The observation: one component for each ear and frequency. The frequency stands in the component's code, in words
    /// and as an extension in hertz.
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
            healthKit: "HKAudiogramSensitivityPoint.\(ear.rawValue)EarSensitivity", "\(side) Ear Sensitivity")
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

/// The extensions of an audiogram's components, for the data of HealthKit's thresholds that FHIR has no element for:
/// named by the class and property as Apple's documentation names them.
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
