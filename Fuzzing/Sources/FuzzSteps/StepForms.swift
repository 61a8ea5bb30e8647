/// The forms of the steps. The linkIds are short, so that inputs reach them.
let stepForms = [conditions, repetitions, calculations, limits, nested]

private let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
private let core = "http://hl7.org/fhir/StructureDefinition/"

private func form(_ items: String, _ extensions: String = "") -> String {
    #"{"resourceType":"Questionnaire","url":"https://example.org/f","status":"active","extension":[\#(extensions)],"#
        + #""item":[\#(items)]}"#
}

private func expression(_ name: String, _ text: String) -> String {
    #"{"url":"\#(sdc)\#(name)","valueExpression":{"language":"text/fhirpath","expression":"\#(text)"}}"#
}

private func variable(_ name: String, _ text: String) -> String {
    #"{"url":"\#(core)variable","valueExpression":{"name":"\#(name)","language":"text/fhirpath","expression":"\#(text)"}}"#
}

/// Conditions with each operator, chains of them, and a circle.
private let conditions = form(
    """
    {"linkId":"b","type":"boolean","required":true},
    {"linkId":"i","type":"integer","enableWhen":[{"question":"b","operator":"=","answerBoolean":true}]},
    {"linkId":"c","type":"choice","repeats":true,"answerOption":[
      {"valueCoding":{"code":"x"}},{"valueCoding":{"code":"y"},"initialSelected":true},
      {"valueCoding":{"code":"z"},"extension":[{"url":"\(core)questionnaire-optionExclusive","valueBoolean":true}]}],
     "enableBehavior":"any","enableWhen":[
      {"question":"i","operator":">","answerInteger":3},{"question":"b","operator":"exists","answerBoolean":false}]},
    {"linkId":"g","type":"group","required":true,"enableWhen":[
      {"question":"c","operator":"!=","answerCoding":{"code":"x"}}],"item":[
      {"linkId":"s","type":"string","required":true,"maxLength":5},
      {"linkId":"d","type":"date","enableWhen":[{"question":"s","operator":"<=","answerString":"m"}]}]},
    {"linkId":"o","type":"open-choice","answerOption":[{"valueCoding":{"code":"x"}}],"enableWhen":[
      {"question":"p","operator":"=","answerBoolean":true}]},
    {"linkId":"p","type":"boolean","enableWhen":[{"question":"o","operator":"exists","answerBoolean":false}]},
    {"linkId":"t","type":"display","text":"t","enableWhen":[{"question":"d","operator":"<","answerDate":"2026-02"}]}
    """)

/// Repeating groups in repeating groups, whose conditions concern their own repetition.
private let repetitions = form(
    """
    {"linkId":"g","type":"group","repeats":true,"required":true,"extension":[
      {"url":"\(core)questionnaire-maxOccurs","valueInteger":3},{"url":"\(core)questionnaire-minOccurs","valueInteger":2}],
     "item":[
      {"linkId":"a","type":"integer"},
      {"linkId":"h","type":"group","repeats":true,"enableWhen":[{"question":"a","operator":">=","answerInteger":1}],
       "item":[
        {"linkId":"b","type":"boolean","required":true},
        {"linkId":"s","type":"string","repeats":true,
         "enableWhen":[{"question":"b","operator":"=","answerBoolean":true}],"extension":[
         {"url":"\(core)questionnaire-maxOccurs","valueInteger":2}]}]},
      {"linkId":"e","type":"string","extension":[
       \(expression("enableWhenExpression", "%context.item.where(linkId = 'a').answer.value > 2"))]}]},
    {"linkId":"z","type":"decimal","enableWhen":[{"question":"a","operator":"=","answerInteger":5}]}
    """)

/// Calculated, initial and population values, with variables of the form and of each repetition.
private let calculations = form(
    """
    {"linkId":"g","type":"group","repeats":true,"extension":[
      \(variable("own", "%context.item.where(linkId = 'a').answer.value"))],"item":[
      {"linkId":"a","type":"integer"},
      {"linkId":"b","type":"integer","extension":[\(expression("calculatedExpression", "%own * 2"))]},
      {"linkId":"r","type":"integer","readOnly":true,"extension":[
       \(expression("calculatedExpression", "%own + %all.count()"))]},
      {"linkId":"n","type":"string","enableWhen":[{"question":"b","operator":">","answerInteger":4}],"extension":[
       \(expression("initialExpression", "%own.toString() & '!'"))]}]},
    {"linkId":"t","type":"decimal","readOnly":true,"extension":[\(expression("calculatedExpression", "%all.sum()"))]},
    {"linkId":"u","type":"choice","repeats":true,"extension":[
      \(expression("answerExpression", "%all.select($this.toString())"))]},
    {"linkId":"v","type":"string","required":true,"extension":[
      \(expression("enableWhenExpression", "%all.where($this > 3).exists()"))]}
    """,
    variable("all", "%resource.item.where(linkId = 'g').item.where(linkId = 'r').answer.value"))

/// Limits of each kind, with units, and rules of the form.
private let limits = form(
    """
    {"linkId":"i","type":"integer","extension":[{"url":"\(core)minValue","valueInteger":0},
      {"url":"\(core)maxValue","_valueInteger":{"extension":[{"url":"\(core)cqf-calculatedValue","valueExpression":
       {"language":"text/fhirpath","expression":"%resource.item.where(linkId = 'd').answer.value"}}]}}]},
    {"linkId":"d","type":"decimal","extension":[{"url":"\(core)maxDecimalPlaces","valueInteger":2}]},
    {"linkId":"q","type":"quantity","extension":[
      {"url":"\(core)questionnaire-unitOption","valueCoding":{"system":"http://unitsofmeasure.org","code":"kg"}},
      {"url":"\(core)questionnaire-unitOption","valueCoding":{"system":"http://unitsofmeasure.org","code":"g"}},
      {"url":"\(sdc)minQuantity","valueQuantity":{"value":1,"system":"http://unitsofmeasure.org","code":"kg"}}]},
    {"linkId":"s","type":"string","maxLength":4,"extension":[{"url":"\(core)minLength","valueInteger":2},
      {"url":"\(core)regex","valueString":"[a-c]*"}]},
    {"linkId":"t","type":"dateTime","extension":[{"url":"\(core)minValue","valueDateTime":"2026-01-01T00:00:00Z"}]},
    {"linkId":"c","type":"choice","repeats":true,"answerOption":[{"valueInteger":1},{"valueInteger":2},
      {"valueString":"w"},{"valueDate":"2026-01-01"}]},
    {"linkId":"e","type":"reference","extension":[{"url":"\(core)questionnaire-referenceResource","valueCode":"Patient"}]},
    {"linkId":"f","type":"attachment","extension":[{"url":"\(core)maxSize","valueDecimal":10},
      {"url":"\(core)mimeType","valueCode":"image/png"}]},
    {"linkId":"m","type":"time"},{"linkId":"l","type":"url"},{"linkId":"x","type":"text"}
    """,
    """
    {"url":"\(core)questionnaire-constraint","extension":[{"url":"key","valueId":"k"},{"url":"severity","valueCode":"error"},
     {"url":"expression","valueString":"item.where(linkId = 's').answer.value != 'ab'"},{"url":"human","valueString":"h"}]}
    """)

/// Questions below answers, and linkIds with the characters of paths.
private let nested = form(
    """
    {"linkId":"a","type":"choice","repeats":true,"answerOption":[{"valueString":"x"},{"valueString":"y"}],"item":[
      {"linkId":"a/b","type":"boolean","required":true,"item":[
       {"linkId":"b","type":"string","enableWhen":[{"question":"a","operator":"=","answerString":"y"}]}]},
      {"linkId":"a[1]","type":"group","repeats":true,"item":[
       {"linkId":"c","type":"integer","required":true},
       {"linkId":"d","type":"integer","readOnly":true,"extension":[
        \(expression("calculatedExpression", "%resource.descendants().where(linkId = 'c').answer.value.sum()"))]}]}]},
    {"linkId":"h","type":"integer","extension":[{"url":"\(core)questionnaire-hidden","valueBoolean":true}],
     "initial":[{"valueInteger":1}]},
    {"linkId":"y","type":"string","enableWhen":[{"question":"c","operator":">","answerInteger":1}]}
    """)
