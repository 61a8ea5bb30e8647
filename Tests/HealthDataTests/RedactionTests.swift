import FHIR
import HealthData
import Testing

@Suite struct RedactionTests {
    @Test(
        arguments: [
            ("Anna’s iPhone", nil, HealthProduct.iPhone), ("iPhone von Anna", nil, .iPhone),
            ("Anna’s Apple\u{A0}Watch", nil, .appleWatch), ("Anna's Apple Watch", nil, .appleWatch),
            ("Anna's iPad", nil, .iPad), ("Anna", nil, .app), ("", nil, .app), ("Health Mate", nil, .app),
            (
                "Anna",
                "<<HKDevice: 0x282a45810>, name:Apple Watch, manufacturer:Apple, model:Watch, hardware:Watch2,4, software:4.3.1>",
                .appleWatch
            ),
            (
                "Anna", "<<HKDevice: 0x1>, name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone14,5>",
                .iPhone
            ),
            (
                "Anna",
                "<<HKDevice: 0x1>, name:Anna's Scale, manufacturer:Anna, model:Anna's iPhone scale, hardware:S1>", .app
            ),
            ("Running app", "<<HKDevice: 0x1>, name:x, model:Watch>", .appleWatch),
        ] as [(String, String?, HealthProduct)])
    func namesBecomeKindsOfProduct(name: String, device: String?, product: HealthProduct) {
        #expect(Redaction.product(sourceName: name, device: device) == product)
    }

    @Test func versionHasOnlyDigitsAndPoints() {
        for text in ["4.3.1", "2160040", "16.2"] { #expect(Redaction.version(text) == text) }
        for text in ["", "Anna", "1.0 (Anna)", "v1", String(repeating: "1", count: 30)] {
            #expect(Redaction.version(text).isEmpty, "\(text)")
        }
    }

    @Test func onlyListedMetadataWithValidValuesAreKept() {
        var context = HealthContext()
        for (key, value) in [
            ("HKWasUserEntered", "1"), ("HKMetadataKeyHeartRateMotionContext", "2"), ("HKBloodGlucoseMealTime", "1"),
            ("HKIndoorWorkout", "0"),
        ] {
            let isTaken = context.add(key: key, value: value)
            #expect(isTaken, "\(key)")
        }
        for (key, value) in [
            ("HKWasUserEntered", "Anna"), ("HKMetadataKeyHeartRateMotionContext", "9"),
            ("HKBloodGlucoseMealTime", "Anna"),
            ("HKExternalUUID", "1"), ("HKDeviceName", "Anna's iPhone"), ("hkwasuserentered", "1"),
            ("HKWeatherTemperature", "56 degF"), ("Withings Link", "withings-bd2://timeline?userid=12345"),
        ] {
            let before = context
            let isTaken = context.add(key: key, value: value)
            #expect(!isTaken && context == before, "\(key)")
        }
        #expect(context.wasUserEntered == true && context["HKIndoorWorkout"] == .boolean(false))
        let codes = context.metadata.map { if case .option(let option) = $0.value { option.code } else { "" } }
        #expect(codes == ["active", "preprandial", ""])
    }
}
