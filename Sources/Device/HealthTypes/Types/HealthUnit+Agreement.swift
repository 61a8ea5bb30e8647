import Foundation
import UCUM

extension HealthUnit {
    /// Returns the factor from a value in HealthKit's unit to one in the UCUM unit: 1 if both are the same unit, 100
    /// for HealthKit's `%`, which is the fraction. Nil if they measure different quantities, or if the code is invalid.
    ///
    /// The factor is rounded to eight digits, because HealthKit and UCUM use densities of mercury that differ in the
    /// ninth digit.
    public static func scale(from unit: HealthKitUnit, to ucum: String) -> Decimal? {
        guard let own = unit.ucum, let from = try? UCUMUnit(own), let to = try? UCUMUnit(ucum) else { return nil }
        // Special units (`Cel`, `dB[SPL]`) have no factor: both units must be the same.
        if from.isSpecial || to.isSpecial { return own == ucum ? 1 : nil }
        guard from.isComparable(to: to), let factor = try? from.convert(1, to: to) else { return nil }
        var input = factor
        var output = Decimal()
        NSDecimalRound(&output, &input, 8, .plain)
        return output
    }

    /// The types whose UCUM unit differs from HealthKit's unit: HealthKit gives the body mass index as a number without
    /// a unit, and has its own unit of effort.
    static let exceptions: Set = [
        "HKQuantityTypeIdentifierBodyMassIndex", "HKQuantityTypeIdentifierWorkoutEffortScore",
        "HKQuantityTypeIdentifierEstimatedWorkoutEffortScore",
    ]
}
