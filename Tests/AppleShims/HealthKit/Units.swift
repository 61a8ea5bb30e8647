import Foundation
import HealthTypes

/// objc: class HKUnit
public final class HKUnit: NSObject, @unchecked Sendable {
    let unit: HealthKitUnit
    public let unitString: String

    /// HealthKit raises an exception for a text that is not a unit.
    public init(from string: String) {
        guard let unit = try? HealthKitUnit(string) else { preconditionFailure("HealthKit raises: no unit \(string)") }
        self.unit = unit
        unitString = string
    }

    override public func isEqual(_ object: Any?) -> Bool { (object as? HKUnit)?.unitString == unitString }
    override public var hash: Int { unitString.hashValue }
}

/// objc: class HKQuantity
public final class HKQuantity: NSObject, @unchecked Sendable {
    private let unit: HKUnit
    private let value: Double

    public init(unit: HKUnit, doubleValue value: Double) {
        self.unit = unit
        self.value = value
    }

    // objc: HKQuantity isCompatibleWithUnit:
    public func `is`(compatibleWith unit: HKUnit) -> Bool { self.unit.unit.conversion(to: unit.unit) != nil }

    /// HealthKit raises an exception for an incompatible unit.
    public func doubleValue(for unit: HKUnit) -> Double {
        if unit.unitString == self.unit.unitString { return value }
        guard let conversion = self.unit.unit.conversion(to: unit.unit) else {
            preconditionFailure("HealthKit raises: \(self.unit.unitString) is no \(unit.unitString)")
        }
        return conversion.convert(value)
    }
}
