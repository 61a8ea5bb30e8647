import Foundation
import UCUM

extension HealthUnit {
    /// Returns the factor from a value in HealthKit's unit to one in the UCUM unit: 1 where the two are one unit, 100
    /// from HealthKit's `%`, which is the bare fraction. Nil where they do not measure the same, or the code is none.
    ///
    /// Rounded to eight digits, as HealthKit and UCUM differ in the ninth on how dense mercury is.
    public static func scale(from unit: HealthKitUnit, to ucum: String) -> Decimal? {
        guard let own = unit.ucum, let from = try? UCUMUnit(own), let to = try? UCUMUnit(ucum) else { return nil }
        // Scales of their own (`Cel`, `dB[SPL]`) have no factor: they must be the same.
        if from.isSpecial || to.isSpecial { return own == ucum ? 1 : nil }
        guard from.isComparable(to: to), let factor = try? from.convert(1, to: to) else { return nil }
        var input = factor
        var output = Decimal()
        NSDecimalRound(&output, &input, 8, .plain)
        return output
    }

    /// The types whose UCUM unit cannot be had from HealthKit's: it gives the body mass index as a mere number, and has a
    /// unit of its own for effort.
    static let exceptions: Set = [
        "HKQuantityTypeIdentifierBodyMassIndex", "HKQuantityTypeIdentifierWorkoutEffortScore",
        "HKQuantityTypeIdentifierEstimatedWorkoutEffortScore",
    ]
}
