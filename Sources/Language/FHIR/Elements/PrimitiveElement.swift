/// The id and extensions of a primitive, which stand beside it under its name with `_` before it
/// (<https://hl7.org/fhir/R4/json.html#primitive>).
public struct PrimitiveElement: ElementView {
    /// The JSON that the view shows.
    public var object: JSONObject

    /// The view over a JSON object.
    public init(_ object: JSONObject) { self.object = object }

    /// Extensions for a primitive.
    public init(extension: [Extension] = []) {
        object = JSONObject()
        self.extension = `extension`
    }
}
