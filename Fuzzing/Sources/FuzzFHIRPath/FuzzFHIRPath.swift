import FHIR
import FHIRPath
import FuzzDriver

private let patient: TypedElement = {
    let text = """
        {"resourceType":"Patient","id":"a","active":true,"birthDate":"1970-03-30","_birthDate":{"id":"b"},
        "multipleBirthInteger":2,"name":[{"use":"official","family":"Roe","given":["A","B"]},{"given":["C"]}],
        "contact":[{"name":{"family":"Doe"},"period":{"start":"2012","end":"2013-01-01T10:00:00+01:00"}}],
        "managingOrganization":{"reference":"#o"},"contained":[{"resourceType":"Organization","id":"o","name":"O"}],
        "extension":[{"url":"http://example.org/q","valueQuantity":{"value":1.50,"unit":"g",
        "system":"http://unitsofmeasure.org","code":"g"}}]}
        """
    return TypedElement(resource: (try? JSON(text.utf8))?.object ?? JSONObject())
}()

/// An expression is read or refused; its evaluation ends within its limits.
func fuzzFHIRPath(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let expression = try? FHIRPathExpression(text) else { return 0 }
    try? expression.check(on: "Patient")
    var context = FHIRPathContext(now: .init(timeIntervalSince1970: 1_000_000_000))
    context.resource = patient
    context.limits.steps = 20_000
    context.limits.items = 5_000
    context.limits.characters = 100_000
    guard let found = try? expression.evaluate(patient, in: context) else { return 0 }
    for value in found { _ = value.json }
    return 0
}

@main enum FuzzFHIRPath {
    static func main() { fuzz(fuzzFHIRPath) }
}
