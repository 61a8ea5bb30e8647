import Foundation
import ResearchKit
import Testing

/// The stand-in raises as ResearchKit does, so that tests of the adapter find what would end an app.
@Suite struct StandInTests {
    private func raises(_ body: () -> Void) -> Bool { !ResearchKitExceptions.exceptions(during: body).isEmpty }

    private func scale(from low: Int, to high: Int, step: Int) -> Bool {
        raises {
            _ = ORKScaleAnswerFormat(
                maximumValue: high, minimumValue: low, defaultValue: low, step: step, vertical: false,
                maximumValueDescription: nil, minimumValueDescription: nil)
        }
    }

    @Test func aScaleHasOneToThirteenEqualSteps() {
        #expect(
            !scale(from: 0, to: 13, step: 1) && !scale(from: 0, to: 1, step: 1) && !scale(from: 0, to: 100, step: 10)
                && !scale(from: -10_000, to: -9_999, step: 1))
        #expect(
            scale(from: 0, to: 14, step: 1) && scale(from: 5, to: 5, step: 1) && scale(from: 6, to: 5, step: 1)
                && scale(from: 0, to: 10, step: 3) && scale(from: 0, to: 10, step: 0))
        #expect(scale(from: 9_999, to: 10_001, step: 1) && scale(from: Int.min, to: Int.max, step: 1))
    }

    @Test func aContinuousScaleHasBoundsByItsDigits() {
        func scale(from low: Double, to high: Double, digits: Int) -> Bool {
            raises {
                _ = ORKContinuousScaleAnswerFormat(
                    maximumValue: high, minimumValue: low, defaultValue: low, maximumFractionDigits: digits,
                    vertical: false, maximumValueDescription: nil, minimumValueDescription: nil)
            }
        }
        #expect(
            !scale(from: 0, to: 100_000, digits: 0) && !scale(from: 0, to: 10, digits: 4)
                && !scale(from: 0, to: 10, digits: 9))
        #expect(
            scale(from: 1, to: 1, digits: 0) && scale(from: 2, to: 1, digits: 0)
                && scale(from: 0, to: 100_001, digits: 0) && scale(from: 0, to: 11, digits: 4)
                && scale(from: 0, to: .nan, digits: 0))
    }

    @Test func choicesAreNotEmpty() {
        let choice = ORKTextChoice(text: "a", value: NSString(string: "a"))
        #expect(raises { _ = ORKTextChoice(text: "", value: NSString(string: "a")) })
        #expect(raises { ORKTextChoiceAnswerFormat(style: .singleChoice, textChoices: []).validateParameters() })
        #expect(raises { ORKValuePickerAnswerFormat(textChoices: []).validateParameters() })
        for count in [0, 1, 9] {
            #expect(
                raises {
                    _ = ORKTextScaleAnswerFormat(
                        textChoices: Array(repeating: choice, count: count), defaultIndex: -1, vertical: false)
                })
        }
    }

    @Test func aPatternNeedsAMessage() {
        let format = ORKTextAnswerFormat()
        format.invalidMessage = "no"
        #expect(raises { format.validateParameters() })
        format.validationRegularExpression = try? NSRegularExpression(pattern: "a")
        #expect(!raises { format.validateParameters() })
        #expect(format.isAnswerValid("xax") && !format.isAnswerValid(" ") && !format.isAnswerValid("b"))
    }

    @Test func identifiersOccurOnce() {
        let step = ORKFormStep(identifier: "s", title: nil, text: nil)
        let item = ORKFormItem(identifier: "a", text: nil, answerFormat: ORKBooleanAnswerFormat())
        step.formItems = [item]
        #expect(!raises { step.validateParameters() })
        step.formItems = [item, item]
        #expect(raises { step.validateParameters() })
        step.formItems = []
        #expect(raises { step.validateParameters() })
        #expect(raises { _ = ORKOrderedTask(identifier: "t", steps: [step, step]) })
    }

    @Test func rulesAreSubclassesThatCopyThemselves() {
        final class Plain: ORKFormItemVisibilityRule {}
        #expect(raises { _ = ORKFormItemVisibilityRule() } && raises { _ = ORKSkipStepNavigationRule() })
        #expect(raises { _ = Plain().formItemVisibility(for: nil) } && raises { _ = Plain().copy() })
    }

    @Test func datesAndNumbersAreInOrder() {
        #expect(
            raises {
                _ = ORKDateAnswerFormat(
                    style: .date, defaultDate: nil, minimumDate: .distantFuture, maximumDate: .distantPast,
                    calendar: nil)
            })
        #expect(
            raises {
                _ = ORKNumericAnswerFormat(
                    style: .integer, unit: nil, displayUnit: nil, minimum: 2, maximum: 1, maximumFractionDigits: nil)
            })
    }
}
