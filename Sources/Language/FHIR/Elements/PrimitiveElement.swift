/// The id and extensions of a primitive, which are in the sibling member of the same name with the prefix `_`
/// (<https://hl7.org/fhir/R4/json.html#primitive>).
public struct PrimitiveElement: ElementView {
    /// The JSON of the view.
    public var object: JSONObject

    /// Creates the view of a JSON object.
    public init(_ object: JSONObject) { self.object = object }

    /// Creates the extensions of a primitive.
    public init(extension: [Extension] = []) {
        object = JSONObject()
        self.extension = `extension`
    }
}
