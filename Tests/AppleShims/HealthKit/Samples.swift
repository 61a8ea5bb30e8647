import Foundation

/// objc: class HKSource
public final class HKSource: NSObject, @unchecked Sendable {
    public let name: String
    public let bundleIdentifier: String
    public init(name: String, bundleIdentifier: String) {
        self.name = name
        self.bundleIdentifier = bundleIdentifier
    }
}

/// objc: class HKSourceRevision
public final class HKSourceRevision: NSObject, @unchecked Sendable {
    public let source: HKSource
    public let version: String?
    public let productType: String?
    // objc: HKSourceRevision initWithSource:version:productType:operatingSystemVersion:
    public init(
        source: HKSource, version: String?, productType: String?, operatingSystemVersion: OperatingSystemVersion
    ) {
        self.source = source
        self.version = version
        self.productType = productType
    }
}

/// objc: class HKDevice
public final class HKDevice: NSObject, @unchecked Sendable {
    public let name: String?
    public let manufacturer: String?
    public let model: String?
    public let hardwareVersion: String?
    public let firmwareVersion: String?
    public let softwareVersion: String?
    public let localIdentifier: String?
    public let udiDeviceIdentifier: String?
    public init(
        name: String?, manufacturer: String?, model: String?, hardwareVersion: String?, firmwareVersion: String?,
        softwareVersion: String?, localIdentifier: String?, udiDeviceIdentifier: String?
    ) {
        self.name = name
        self.manufacturer = manufacturer
        self.model = model
        self.hardwareVersion = hardwareVersion
        self.firmwareVersion = firmwareVersion
        self.softwareVersion = softwareVersion
        self.localIdentifier = localIdentifier
        self.udiDeviceIdentifier = udiDeviceIdentifier
    }
}

/// objc: class HKObject
open class HKObject: NSObject, @unchecked Sendable {
    /// The properties of every object that a test makes.
    public struct Origin: @unchecked Sendable {
        public var uuid = UUID()
        public var revision = HKSourceRevision(
            source: HKSource(name: "App", bundleIdentifier: "org.example.app"), version: nil, productType: nil,
            operatingSystemVersion: OperatingSystemVersion())
        public var device: HKDevice?
        public var metadata: [String: Any]?
        public init() {}
    }

    public let uuid: UUID
    public let sourceRevision: HKSourceRevision
    public let device: HKDevice?
    public let metadata: [String: Any]?

    init(_ origin: Origin) {
        uuid = origin.uuid
        sourceRevision = origin.revision
        device = origin.device
        metadata = origin.metadata
    }
}

/// objc: class HKSample
open class HKSample: HKObject, @unchecked Sendable {
    public let sampleType: HKSampleType
    public let startDate: Date
    public let endDate: Date

    init(_ type: HKSampleType, _ start: Date, _ end: Date, _ origin: Origin) {
        sampleType = type
        startDate = start
        endDate = end
        super.init(origin)
    }
}

/// objc: class HKQuantitySample
public final class HKQuantitySample: HKSample, @unchecked Sendable {
    public let quantity: HKQuantity
    public let quantityType: HKQuantityType
    public init(type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date, origin: Origin = Origin()) {
        quantityType = type
        self.quantity = quantity
        super.init(type, start, end, origin)
    }
}

/// objc: class HKCategorySample
public final class HKCategorySample: HKSample, @unchecked Sendable {
    public let value: Int
    public init(type: HKCategoryType, value: Int, start: Date, end: Date, origin: Origin = Origin()) {
        self.value = value
        super.init(type, start, end, origin)
    }
}

/// objc: class HKCorrelation
public final class HKCorrelation: HKSample, @unchecked Sendable {
    public let objects: Set<HKSample>
    public init(
        type: HKCorrelationType, start: Date, end: Date, objects: Set<HKSample>, origin: Origin = Origin()
    ) {
        self.objects = objects
        super.init(type, start, end, origin)
    }
}

/// objc: class HKDeletedObject
public final class HKDeletedObject: NSObject, @unchecked Sendable {
    public let uuid: UUID
    init(_ uuid: UUID) { self.uuid = uuid }
}
