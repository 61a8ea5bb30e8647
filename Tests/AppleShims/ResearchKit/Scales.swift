import Foundation

open class ORKScaleAnswerFormat: ORKAnswerFormat {
    public let maximum: Int
    public let minimum: Int
    public let defaultValue: Int
    public let step: Int
    public let isVertical: Bool
    public let maximumValueDescription: String?
    public let minimumValueDescription: String?

    public init(
        maximumValue: Int, minimumValue: Int, defaultValue: Int, step: Int, vertical: Bool,
        maximumValueDescription: String?, minimumValueDescription: String?
    ) {
        maximum = maximumValue
        minimum = minimumValue
        self.defaultValue = defaultValue
        self.step = step
        isVertical = vertical
        self.maximumValueDescription = maximumValueDescription
        self.minimumValueDescription = minimumValueDescription
        super.init()
        validateParameters()
    }

    open override func validateParameters() {
        if maximum < minimum { return raiseInvalid("Expect maximumValue larger than minimumValue") }
        if step < 1 { return raiseInvalid("Expect step value not less than 1.") }
        let (range, isTooLarge) = maximum.subtractingReportingOverflow(minimum)
        if isTooLarge || minimum < -10_000 || maximum > 10_000 {
            return raiseInvalid("Expect bounds from -10000 to 10000")
        }
        if range % step != 0 {
            raiseInvalid(
                "Expect the difference between maximumValue and minimumValue is divisible by step value")
        }
        if !(1...13).contains(range / step) { raiseInvalid("Expect a number of steps from 1 to 13.") }
    }
}

open class ORKContinuousScaleAnswerFormat: ORKAnswerFormat {
    public let maximum: Double
    public let minimum: Double
    public let defaultValue: Double
    public let maximumFractionDigits: Int
    public let isVertical: Bool
    public let maximumValueDescription: String?
    public let minimumValueDescription: String?

    public init(
        maximumValue: Double, minimumValue: Double, defaultValue: Double, maximumFractionDigits: Int, vertical: Bool,
        maximumValueDescription: String?, minimumValueDescription: String?
    ) {
        maximum = maximumValue
        minimum = minimumValue
        self.defaultValue = defaultValue
        self.maximumFractionDigits = min(max(maximumFractionDigits, 0), 4)
        isVertical = vertical
        self.maximumValueDescription = maximumValueDescription
        self.minimumValueDescription = minimumValueDescription
        super.init()
        validateParameters()
    }

    open override func validateParameters() {
        let bound = 100_000 * pow(0.1, Double(maximumFractionDigits))
        if !(maximum > minimum) { raiseInvalid("Expect maximumValue larger than minimumValue") }
        if minimum < -bound || maximum > bound {
            raiseInvalid("Expect bounds from -\(bound) to \(bound) with \(maximumFractionDigits) fraction digits")
        }
    }
}
