import Foundation

/// One sample of health data from any source: an export, HealthKit, a device.
///
/// A sample has no field that could hold a person's name, an app's free text or a link. Such content is removed
/// (``Redaction``) before a sample is created, so that later code cannot reveal it.
///
/// Samples are passed often and changed rarely. The content is stored in one referenced object, so that passing it is
/// cheap; a change copies it (``change(_:)``).
public struct HealthSample: Sendable, Hashable {
    /// The content of a sample.
    public struct Content: Sendable, Hashable {
        /// The type.
        public let type: HealthType
        /// The value.
        public var value: HealthValue
        /// The start.
        public var start: HealthInstant
        /// The end; equal to ``start`` for a single instant.
        public var end: HealthInstant
        /// The time at which the sample was saved.
        public var created: HealthInstant?
        /// The product that recorded it.
        public var source: HealthSource
        /// The circumstances of the recording.
        public var context: HealthContext
        /// HealthKit's identifier of the sample; exports have none.
        public var uuid: UUID?
        /// The repairs that were made to read it.
        public var repairs: Repairs
        /// The samples that are part of it and have observations of their own.
        public var members: [SampleFingerprint] = []

        /// Creates the content from its parts.
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

    /// Creates a sample from its content.
    public init(_ content: consuming Content) { storage = Storage(content) }

    /// Creates a sample from its parts.
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

    /// The content of the sample.
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
    /// The end; equal to the start for a sample of a single instant.
    public var end: HealthInstant {
        get { storage.content.end }
        set { change { $0.end = newValue } }
    }
    /// The time at which the sample was saved, if it is known.
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
    /// HealthKit's own identifier, if it is known.
    public var uuid: UUID? {
        get { storage.content.uuid }
        set { change { $0.uuid = newValue } }
    }
    /// The repairs that were made to read it.
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

    /// The reason why the sample's times are invalid; nil if they are valid.
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
    /// The event happened; there is no other value.
    case event
    /// A blood pressure; at least one of the two values is present.
    indirect case bloodPressure(systolic: HealthQuantity?, diastolic: HealthQuantity?)
    /// A workout.
    indirect case workout(HealthWorkout)
    /// The members of a correlation.
    indirect case components([HealthMember])
}

/// A member of a correlation: a sample whose value is part of the correlation's observation.
public struct HealthMember: Sendable, Hashable {
    /// The measure.
    public let measure: HealthMeasure
    /// The number with its unit.
    public let quantity: HealthQuantity
    /// The fingerprint that the sample has outside of a correlation.
    public let fingerprint: SampleFingerprint
    /// The ``HealthSample/alternateFingerprints`` that the sample has outside of a correlation.
    public let alternates: [SampleFingerprint]

    /// Creates a member from its parts.
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

/// The activity of a workout and its values, each with the identifier of its component.
public struct HealthWorkout: Sendable, Hashable {
    /// The activity.
    public let activity: HealthOption
    /// The values, in the order of the type's components.
    public private(set) var figures: [(identifier: String, quantity: HealthQuantity)]
    /// The events, and the activities of a workout with several, in the order of the source.
    public private(set) var parts: [HealthWorkoutPart] = []

    /// Maximum number of parts of a workout. A swim of ten kilometres has 400 laps.
    public static let partLimit = 1000

    /// Creates a workout without values.
    public init(activity: HealthOption) {
        self.activity = activity
        figures = []
    }

    /// Returns whether there is a value for the component.
    public func has(_ identifier: String) -> Bool { figures.contains { $0.identifier == identifier } }

    /// Adds a value. The first value of a component is kept: statistics are added before the totals of older systems.
    public mutating func add(_ identifier: String, _ quantity: HealthQuantity) {
        guard !has(identifier) else { return }
        figures.append((identifier, quantity))
    }

    /// Adds a part, unless the same part is present.
    ///
    /// - Returns: false if the workout has ``partLimit`` parts already.
    public mutating func add(_ part: HealthWorkoutPart) -> Bool {
        guard !parts.contains(where: { $0.start.seconds == part.start.seconds && $0 == part }) else { return true }
        guard parts.count < Self.partLimit else { return false }
        parts.append(part)
        return true
    }

    /// Adds the activities. A single activity is the whole workout; its values, which the source may give only there,
    /// are added to the workout.
    ///
    /// - Returns: the number of activities that exceeded the limit.
    public mutating func add(activities: [HealthWorkoutPart]) -> Int {
        guard activities.count != 1 else {
            for figure in activities[0].figures { add(figure.identifier, figure.quantity) }
            return 0
        }
        var surplus = 0
        for activity in activities where !add(activity) { surplus += 1 }
        return surplus
    }

    /// Sets the offsets of the parts' times to those of the person's clock, in minutes east of UTC; nil leaves a time
    /// unchanged.
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
/// It is a class, because millions of samples refer to a few sources.
public final class HealthSource: Sendable, Hashable {
    /// The product.
    public let product: HealthProduct
    /// The version: digits, letters and points; empty if it is unknown or has another form.
    public let version: String
    /// The device, as far as it is known; nil if the source does not give it.
    public let device: HealthDevice?
    /// A number that distinguishes two sources of one product and version while they are in memory: a digest of the
    /// name and the model. 0 if neither is known. It is never written, sent or part of a fingerprint, and equality
    /// ignores it.
    package let origin: UInt64

    /// Creates a source from its parts.
    ///
    /// - Parameter name: the name of the source in UTF-8, of which only a digest is kept in memory; empty if it is
    ///   unknown.
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

/// The kinds of product that source and device names are reduced to.
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
