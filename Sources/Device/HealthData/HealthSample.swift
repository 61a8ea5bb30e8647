import Foundation

/// One piece of health data, whatever it came from: an export, HealthKit, a device.
///
/// A sample has no field that could hold a person's name, an app's free text or a link: what is redacted
/// (``Redaction``) is redacted before there is a sample, so nothing behind this point can leak it.
///
/// A sample is handed on many times and changed hardly ever: its content stands behind one reference, so that handing it
/// on is cheap and changing it makes it anew (``change(_:)``).
public struct HealthSample: Sendable, Hashable {
    /// The content of a sample.
    public struct Content: Sendable, Hashable {
        /// The type.
        public let type: HealthType
        /// The value.
        public var value: HealthValue
        /// The start.
        public var start: HealthInstant
        /// Equal to ``start`` for a moment.
        public var end: HealthInstant
        /// When the sample was saved.
        public var created: HealthInstant?
        /// The product that recorded it.
        public var source: HealthSource
        /// The circumstances of the recording.
        public var context: HealthContext
        /// The identifier HealthKit gave the sample; exports have none.
        public var uuid: UUID?
        /// The repairs that reading it needed.
        public var repairs: Repairs
        /// The samples that are part of it and have observations of their own.
        public var members: [SampleFingerprint] = []

        /// Makes the content of its parts.
        public init(
            type: HealthType, value: HealthValue, start: HealthInstant, end: HealthInstant,
            created: HealthInstant? = nil, source: HealthSource, context: HealthContext = HealthContext(),
            uuid: UUID? = nil, repairs: Repairs = []
        ) {
            self.type = type
            self.value = value
            self.start = start
            self.end = end
            self.created = created
            self.source = source
            self.context = context
            self.uuid = uuid
            self.repairs = repairs
        }
    }

    private final class Storage: Sendable {
        let content: Content
        init(_ content: consuming Content) { self.content = content }
    }

    private var storage: Storage

    /// Makes a sample of its content.
    public init(_ content: consuming Content) { storage = Storage(content) }

    /// Makes a sample of its parts.
    public init(
        type: HealthType, value: HealthValue, start: HealthInstant, end: HealthInstant, created: HealthInstant? = nil,
        source: HealthSource, context: HealthContext = HealthContext(), uuid: UUID? = nil, repairs: Repairs = []
    ) {
        self.init(
            Content(
                type: type, value: value, start: start, end: end, created: created, source: source, context: context,
                uuid: uuid, repairs: repairs))
    }

    public static func == (left: HealthSample, right: HealthSample) -> Bool {
        left.storage === right.storage || left.content == right.content
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(content) }

    /// All parts together.
    public var content: Content { storage.content }
    /// The type.
    public var type: HealthType { storage.content.type }
    /// The value.
    public var value: HealthValue {
        get { storage.content.value }
        set { change { $0.value = newValue } }
    }
    /// The start.
    public var start: HealthInstant {
        get { storage.content.start }
        set { change { $0.start = newValue } }
    }
    /// The end; the start for a sample of one instant.
    public var end: HealthInstant {
        get { storage.content.end }
        set { change { $0.end = newValue } }
    }
    /// The time at which it was saved, where that is known.
    public var created: HealthInstant? {
        get { storage.content.created }
        set { change { $0.created = newValue } }
    }
    /// The product that recorded it.
    public var source: HealthSource {
        get { storage.content.source }
        set { change { $0.source = newValue } }
    }
    /// The circumstances of the recording.
    public var context: HealthContext {
        get { storage.content.context }
        set { change { $0.context = newValue } }
    }
    /// HealthKit's own identifier, where it is known.
    public var uuid: UUID? {
        get { storage.content.uuid }
        set { change { $0.uuid = newValue } }
    }
    /// The repairs that reading it took.
    public var repairs: Repairs {
        get { storage.content.repairs }
        set { change { $0.repairs = newValue } }
    }
    /// The samples that are part of this one.
    public var members: [SampleFingerprint] {
        get { storage.content.members }
        set { change { $0.members = newValue } }
    }

    /// Changes the content.
    public mutating func change(_ body: (inout Content) -> Void) {
        var content = content
        body(&content)
        storage = Storage(content)
    }

    /// Why the sample's times cannot be believed; nil where they can.
    public var timeProblem: SkipReason? {
        let (start, end) = (start.seconds, end.seconds)
        guard HealthInstant.believable.contains(start), HealthInstant.believable.contains(end) else {
            return .dateOutOfRange
        }
        return end < start ? .endBeforeStart : nil
    }
}

/// The value of a sample.
public enum HealthValue: Sendable, Hashable {
    /// A number with a unit.
    case quantity(HealthQuantity)
    /// One of the type's coded values.
    indirect case option(HealthOption)
    /// It took place; there is nothing else to say.
    case event
    /// At least one of them is there.
    indirect case bloodPressure(systolic: HealthQuantity?, diastolic: HealthQuantity?)
    /// A workout.
    indirect case workout(HealthWorkout)
    /// The members of a correlation.
    indirect case components([HealthMember])
}

/// A member of a correlation: a sample whose value stands inside the correlation's observation.
public struct HealthMember: Sendable, Hashable {
    /// The measure.
    public let measure: HealthMeasure
    /// The number with its unit.
    public let quantity: HealthQuantity
    /// The fingerprint it would have alone.
    public let fingerprint: SampleFingerprint
    /// The ``HealthSample/alternateFingerprints`` that it would have alone.
    public let alternates: [SampleFingerprint]

    /// Makes a member of its parts.
    public init(
        measure: HealthMeasure, quantity: HealthQuantity, fingerprint: SampleFingerprint,
        alternates: [SampleFingerprint] = []
    ) {
        self.measure = measure
        self.quantity = quantity
        self.fingerprint = fingerprint
        self.alternates = alternates
    }
}

/// The activity of a workout and its figures, each under the identifier of its component.
public struct HealthWorkout: Sendable, Hashable {
    /// The activity.
    public let activity: HealthOption
    /// In the order of the type's components.
    public private(set) var figures: [(identifier: String, quantity: HealthQuantity)]
    /// Events, and the activities of a workout that has several, in the order of the source.
    public private(set) var parts: [HealthWorkoutPart] = []

    /// As many parts has a workout at most: a swim of ten kilometres has 400 laps.
    public static let partLimit = 1000

    /// Makes a workout without figures.
    public init(activity: HealthOption) {
        self.activity = activity
        figures = []
    }

    /// Whether there is a figure for the component.
    public func has(_ identifier: String) -> Bool { figures.contains { $0.identifier == identifier } }

    /// Sets a figure. The first one counts: statistics are given before the totals of older systems.
    public mutating func add(_ identifier: String, _ quantity: HealthQuantity) {
        guard !has(identifier) else { return }
        figures.append((identifier, quantity))
    }

    /// Adds a part; the same part is there once.
    ///
    /// - Returns: false where there are ``partLimit`` already.
    public mutating func add(_ part: HealthWorkoutPart) -> Bool {
        guard !parts.contains(where: { $0.start.seconds == part.start.seconds && $0 == part }) else { return true }
        guard parts.count < Self.partLimit else { return false }
        parts.append(part)
        return true
    }

    /// Adds the activities. An only one is the whole workout: its figures may stand with it alone.
    ///
    /// - Returns: how many there was no room for.
    public mutating func add(activities: [HealthWorkoutPart]) -> Int {
        guard activities.count != 1 else {
            for figure in activities[0].figures { add(figure.identifier, figure.quantity) }
            return 0
        }
        var surplus = 0
        for activity in activities where !add(activity) { surplus += 1 }
        return surplus
    }

    /// Gives the times of the parts the offsets that the person's clock had, in minutes east of UTC; nil leaves one.
    public mutating func setOffsets(_ minutes: (_ seconds: Int64) -> Int16?) {
        for index in parts.indices {
            if let offset = minutes(parts[index].start.seconds) { parts[index].start.offsetMinutes = offset }
            if let offset = minutes(parts[index].end.seconds) { parts[index].end.offsetMinutes = offset }
        }
    }

    public static func == (left: HealthWorkout, right: HealthWorkout) -> Bool {
        left.activity == right.activity && left.parts == right.parts
            && left.figures.elementsEqual(right.figures) {
                $0.identifier == $1.identifier && $0.quantity == $1.quantity
            }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(activity)
        hasher.combine(figures.count)
    }
}

/// The source of a sample, without a name: the kind of product and the version of its software.
///
/// An object, as millions of samples refer to a few of them.
public final class HealthSource: Sendable, Hashable {
    /// The product.
    public let product: HealthProduct
    /// Digits, letters and points; empty where it is not known or could be something else.
    public let version: String
    /// The device itself, as far as it is known; nil where the source does not tell.
    public let device: HealthDevice?
    /// A number by which two sources of one product and version differ while they are in memory: a digest of the name
    /// and the model. 0 where neither is known. It is never written, sent or part of a fingerprint, and equality ignores
    /// it.
    let origin: UInt64

    /// Makes a source of its parts.
    ///
    /// - Parameter name: the name of the source in UTF-8, of which a digest is kept in memory; empty where it is not known.
    public init(
        product: HealthProduct, version: String = "", device: HealthDevice? = nil,
        name: some Sequence<UInt8> = EmptyCollection()
    ) {
        self.product = product
        self.version = Redaction.version(version)
        self.device = device
        origin = Self.digest(of: name) &* 31 &+ Self.digest(of: (device?.hardware ?? "").utf8)
    }

    /// FNV-1a; 0 for an empty text.
    private static func digest(of text: some Sequence<UInt8>) -> UInt64 {
        var (hash, isEmpty): (UInt64, Bool) = (0xCBF2_9CE4_8422_2325, true)
        for byte in text {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            isEmpty = false
        }
        return isEmpty ? 0 : hash
    }

    public static func == (left: HealthSource, right: HealthSource) -> Bool {
        left === right
            || left.product == right.product && left.version == right.version && left.device == right.device
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(product)
        hasher.combine(version)
    }
}

/// The kinds of product that remain of source and device names.
public enum HealthProduct: String, Sendable, CaseIterable {
    /// An iPhone.
    case iPhone = "iPhone"
    /// An Apple Watch.
    case appleWatch = "Apple Watch"
    /// An iPad.
    case iPad = "iPad"
    /// An iPod touch.
    case iPod = "iPod touch"
    /// AirPods.
    case airPods = "AirPods"
    /// An Apple Vision Pro.
    case visionPro = "Apple Vision Pro"
    /// Anything else: another maker's app or device.
    case app = "app"
}
