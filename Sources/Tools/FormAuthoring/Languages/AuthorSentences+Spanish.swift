extension AuthorSentences {
    /// The sentences in Spanish: pairs of lines, the English template and its translation.
    static let spanish: StaticString = """
        A group needs items, and a display item has none.
        Un grupo necesita entradas, y un texto informativo no las tiene.
        A display item has no code.
        Un texto informativo no tiene código.
        A question has options of its own or a value set, not both.
        Una pregunta tiene opciones propias o un conjunto de valores, no ambos.
        A question of this type cannot have options.
        Una pregunta de este tipo no puede tener opciones.
        A display item is neither required nor repeated.
        Un texto informativo no es obligatorio ni se repite.
        A group or display item has no initial value.
        Un grupo o un texto informativo no tiene valor inicial.
        A display item is not read-only.
        Un texto informativo no es de solo lectura.
        A question of this type cannot have a maximum length.
        Una pregunta de este tipo no puede tener una longitud máxima.
        A question with options uses initialSelected, not an initial value.
        Una pregunta con opciones usa initialSelected, no un valor inicial.
        Several conditions need an enableBehavior; without it, all must be fulfilled.
        Varias condiciones necesitan un enableBehavior; sin él, deben cumplirse todas.
        Only a question that repeats has several initial values.
        Solo una pregunta que se repite tiene varios valores iniciales.
        An item of the abstract type question cannot be answered.
        Una entrada del tipo abstracto question no se puede responder.
        An enableBehavior is all or any; otherwise all must be fulfilled.
        Un enableBehavior es all o any; si no, deben cumplirse todas las condiciones.
        The minimum is greater than the maximum: no answer is valid.
        El mínimo es mayor que el máximo: ninguna respuesta es válida.
        The minimum or the maximum has no unit, and the question permits several: write the limit as a Quantity \
        (minQuantity, maxQuantity), or permit one unit only.
        El mínimo o el máximo no tiene unidad, y la pregunta permite varias: escriba el límite como Quantity \
        (minQuantity, maxQuantity) o permita una sola unidad.
        The unit of the minimum or the maximum is not comparable to a unit of the question.
        La unidad del mínimo o del máximo no se puede comparar con una unidad de la pregunta.
        An answerConstraint is optionsOnly, optionsOrType or optionsOrString; the question's type decides until it \
        is mended.
        Un answerConstraint es optionsOnly, optionsOrType u optionsOrString; hasta que se corrija, decide el tipo \
        de la pregunta.
        A limit has no value that an answer can be compared with; answers are not checked against it.
        Un límite no tiene un valor con el que comparar una respuesta; las respuestas no se comprueban con él.
        The pattern cannot be parsed; answers are not checked against it.
        El patrón no se puede leer; las respuestas no se comprueban con él.
        The pattern has JavaScript's form, /pattern/flags; it is read without the slashes. Other apps can treat \
        them as part of the pattern.
        El patrón tiene la forma de JavaScript, /pattern/flags; se lee sin las barras. Otras aplicaciones pueden \
        tratarlas como parte del patrón.
        A choice has no options.
        Una pregunta de selección no tiene opciones.
        The form does not contain the value set that it refers to.
        El formulario no contiene el conjunto de valores al que se refiere.
        The value set is not available; answers are not checked against it.
        El conjunto de valores no está disponible; las respuestas no se comprueban con él.
        this sub-questionnaire is not assembled, and its questions are missing; assemble the form before it is \
        published (https://hl7.org/fhir/uv/sdc/modular.html).
        Este subformulario no está incorporado y faltan sus preguntas; componga el formulario antes de publicarlo \
        (https://hl7.org/fhir/uv/sdc/modular.html).
        The name should be an identifier: a capital letter, then letters, digits and _.
        El nombre debería ser un identificador: una mayúscula y después letras, cifras y _.
        The form has no items.
        El formulario no tiene entradas.
        A condition refers to its own item.
        Una condición se refiere a su propia entrada.
        A condition refers to an item inside its own item.
        Una condición se refiere a una entrada dentro de su propia entrada.
        A condition refers to a group or a display item, which has no answers.
        Una condición se refiere a un grupo o a un texto informativo, que no tiene respuestas.
        A condition's operator is not defined by FHIR R4.
        FHIR R4 no define el operador de una condición.
        A condition has no answer to compare with.
        Una condición no tiene respuesta con la que comparar.
        The operator exists needs a boolean answer.
        El operador exists necesita una respuesta booleana.
        A condition compares with a number without a unit, and the question permits several units.
        Una condición compara con un número sin unidad, y la pregunta permite varias unidades.
        A condition's unit is not comparable to a unit of its question.
        La unidad de una condición no se puede comparar con una unidad de su pregunta.
        A condition's value has a type that its question does not permit.
        El valor de una condición tiene un tipo que su pregunta no permite.
        A condition refers to a question that comes later.
        Una condición se refiere a una pregunta posterior.
        An item has no linkId.
        Una entrada no tiene linkId.
        Two items have this linkId; each needs one of its own (que-2).
        Dos entradas tienen este linkId; cada una necesita uno propio (que-2).
        The item's type is not defined by FHIR R4.
        FHIR R4 no define el tipo de la entrada.
        The form is populated by a StructureMap, which is not evaluated; use initialExpression.
        El formulario se rellena con un StructureMap, que no se evalúa; use initialExpression.
        Answers are extracted by a StructureMap, which is not evaluated; use templateExtract or definitionExtract.
        Las respuestas se extraen con un StructureMap, que no se evalúa; use templateExtract o definitionExtract.
        The form is adaptive: a server chooses the next question, which is not supported.
        El formulario es adaptativo: un servidor elige la pregunta siguiente, lo que no se admite.
        A signature is required, but it is neither asked for nor checked.
        Se requiere una firma, pero no se pide ni se comprueba.
        The form must be assembled with other forms before it is published ({1}).
        El formulario debe componerse con otros antes de publicarse ({1}).
        An expression is written in CQL, which is not evaluated; write it in FHIRPath.
        Una expresión está escrita en CQL, que no se evalúa; escríbala en FHIRPath.
        A picture, sound or film has no title, which is read aloud or shown in its stead.
        Una imagen, un sonido o un vídeo no tiene título, que se lee o se muestra en su lugar.
        {1} pictures, sounds or films have no title, which is read aloud or shown in its stead.
        {1} imágenes, sonidos o vídeos no tienen título, que se lee o se muestra en su lugar.
        No question has a code; answers have no meaning outside of this form.
        Ninguna pregunta tiene código; las respuestas no tienen significado fuera de este formulario.
        The question has no code; its answers have no meaning outside of this form.
        La pregunta no tiene código; sus respuestas no tienen significado fuera de este formulario.
        {1}: An option that is a text has no concept of its own in the warehouse; give it a code (valueCoding).
        {1}: una opción que es un texto no tiene concepto propio en el almacén; asígnele un código (valueCoding).
        {1}: A code without a system means nothing outside of this form; give it its system.
        {1}: un código sin sistema no significa nada fuera de este formulario; indique su sistema.
        The form has translations, and does not name the language of its own texts (language).
        El formulario tiene traducciones y no indica el idioma de sus propios textos (language).
        The {1} has no translation to {2}.
        El elemento {1} no tiene traducción a {2}.
        {1}: The options have no translation to {2}.
        {1}: las opciones no tienen traducción a {2}.
        The item is never enabled.
        La entrada nunca está activa.
        The item is never enabled, nor is the item inside.
        La entrada nunca está activa, ni tampoco la entrada que contiene.
        The item is never enabled, nor are the {1} items inside.
        La entrada nunca está activa, ni tampoco las {1} entradas que contiene.
        The condition on {1} is never true: no answer to that question is valid.
        La condición sobre {1} nunca se cumple: ninguna respuesta a esa pregunta es válida.
        The condition on {1} is never true: no valid answer to that question fulfils it.
        La condición sobre {1} nunca se cumple: ninguna respuesta válida a esa pregunta la cumple.
        The condition on {1} is always true: no valid answer to that question is that value.
        La condición sobre {1} siempre se cumple: ninguna respuesta válida a esa pregunta tiene ese valor.
        The conditions on {1} are never true together.
        Las condiciones sobre {1} nunca se cumplen a la vez.
        One of the conditions on {1} is always true.
        Una de las condiciones sobre {1} siempre se cumple.
        An expression ({1}) is in the language {2}, which is not evaluated.
        Una expresión ({1}) está escrita en el lenguaje {2}, que no se evalúa.
        An expression ({1}) is not valid: {2}
        Una expresión ({1}) no es válida: {2}
        An expression ({1}) reads %{2}, which nothing defines.
        Una expresión ({1}) lee %{2}, que no está definido en ninguna parte.
        An expression ({1}) reads the item "{2}", which the form does not have there.
        Una expresión ({1}) lee el elemento «{2}», que el formulario no tiene ahí.
        An expression ({1}) depends on itself: {2}.
        Una expresión ({1}) depende de sí misma: {2}.
        A variable depends on itself: {1}.
        Una variable depende de sí misma: {1}.
        The enablement of the item depends on itself through other items: {1}.
        La activación del elemento depende de sí misma a través de otros elementos: {1}.
        Two expressions of one element define %{1}.
        Dos expresiones de un elemento definen %{1}.
        A variable hides %{1} of an element above.
        Una variable oculta %{1} de un elemento superior.
        The name %{1} has a meaning in every expression.
        El nombre %{1} tiene un significado fijo en toda expresión.
        A condition refers to the question {1}, which the form does not have.
        Una condición se refiere a la pregunta {1}, que el formulario no tiene.
        A condition names no question.
        Una condición no nombra ninguna pregunta.
        {1} and {2} more
        {1} y {2} más
        """
}
