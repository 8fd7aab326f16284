// Has one library of an MCP client connect to servers over stdio, one after the other, show the tools of each to a model of its own,
// and call what the model says, until the model says no more: node clients.mjs LIBRARY URL PROGRAM ARGUMENTS... next URL PROGRAM ...
const [library, ...rest] = process.argv.slice(2);
let url, command, args;
const prompt = "Edit the files.";
const most = 50; // calls
const apiKey = "none";

async function official() {
	const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
	const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
	const client = new Client({ name: library, version: "1" });
	await client.connect(new StdioClientTransport({ command, args }));
	return client;
}

async function aiSDK(model) {
	const { createMCPClient } = await import("@ai-sdk/mcp");
	const { Experimental_StdioMCPTransport } = await import("@ai-sdk/mcp/mcp-stdio");
	const { stepCountIs, streamText } = await import("ai");
	const client = await createMCPClient({ transport: new Experimental_StdioMCPTransport({ command, args }) });
	const failed = [];
	const result = streamText({
		model,
		prompt,
		tools: await client.tools(),
		stopWhen: stepCountIs(most),
		maxRetries: 0,
		onError: ({ error }) => failed.push(error),
	});
	await result.consumeStream();
	await client.close();
	if (failed.length > 0) throw failed[0];
}

async function openAIAgents(convertSchemasToStrict) {
	const { Agent, MCPServerStdio, OpenAIProvider, Runner } = await import("@openai/agents");
	const server = new MCPServerStdio({ command, args });
	await server.connect();
	const agent = new Agent({ name: library, mcpServers: [server], mcpConfig: { convertSchemasToStrict } });
	const provider = new OpenAIProvider({ apiKey, baseURL: url + "/v1" });
	const runner = new Runner({ modelProvider: provider, model: "stand-in", tracingDisabled: true });
	const run = await runner.run(agent, prompt, { stream: true, maxTurns: most });
	await run.completed;
	await server.close();
}

const libraries = {
	async "ai-chat"() {
		const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
		await aiSDK(createOpenAICompatible({ name: "stand-in", apiKey, baseURL: url + "/v1" })("stand-in"));
	},

	async "ai-responses"() {
		const { createOpenAI } = await import("@ai-sdk/openai");
		await aiSDK(createOpenAI({ apiKey, baseURL: url + "/v1" }).responses("stand-in"));
	},
	async openai() {
		const { default: OpenAI } = await import("openai");
		const client = await official();
		const { tools } = await client.listTools();
		const openAI = new OpenAI({ apiKey, baseURL: url + "/v1", maxRetries: 0 });
		const input = [{ role: "user", content: prompt }];
		for (let calls = 0, called = true; called && calls < most; calls++) {
			called = false;
			const stream = await openAI.responses.create({
				model: "stand-in",
				stream: true,
				input,
				tools: tools.map(({ name, description, inputSchema }) => ({ type: "function", name, description, parameters: inputSchema })),
			});
			for await (const event of stream) {
				if (event.type !== "response.output_item.done") continue;
				input.push(event.item);
				if (event.item.type !== "function_call") continue;
				const { content } = await client.callTool({ name: event.item.name, arguments: JSON.parse(event.item.arguments) });
				input.push({ type: "function_call_output", call_id: event.item.call_id, output: content[0].text });
				called = true;
			}
		}
		await client.close();
	},

	"openai-agents": () => openAIAgents(false),
	"openai-agents-strict": () => openAIAgents(true),

	async "google-genai"() {
		const { GoogleGenAI, mcpToTool } = await import("@google/genai");
		const client = await official();
		const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
		const stream = await google.models.generateContentStream({
			model: "gemini-2.5-pro",
			contents: prompt,
			config: { tools: [mcpToTool(client)], automaticFunctionCalling: { maximumRemoteCalls: most } },
		});
		for await (const _ of stream);
		await client.close();
	},

	async "langchain-gemini"() {
		const { HumanMessage, ToolMessage } = await import("@langchain/core/messages");
		const { ChatGoogleGenerativeAI } = await import("@langchain/google-genai");
		const { MultiServerMCPClient } = await import("@langchain/mcp-adapters");
		const client = new MultiServerMCPClient({ mcpServers: { patchls: { command, args } } });
		const tools = await client.getTools();
		const model = new ChatGoogleGenerativeAI({ apiKey, baseUrl: url, model: "gemini-2.5-pro", maxRetries: 0 }).bindTools(tools);
		const messages = [new HumanMessage(prompt)];
		for (let calls = 0; calls < most; calls++) {
			let said;
			for await (const chunk of await model.stream(messages)) said = said ? said.concat(chunk) : chunk;
			messages.push(said);
			if (!said.tool_calls?.length) break;
			for (const call of said.tool_calls) {
				const answer = tools.find((t) => t.name === call.name).invoke({ ...call, type: "tool_call" });
				messages.push(await answer.catch((err) => new ToolMessage({ content: err.message, tool_call_id: call.id })));
			}
		}
		await client.close();
	},

	async anthropic() {
		const { default: Anthropic } = await import("@anthropic-ai/sdk");
		const { mcpTools } = await import("@anthropic-ai/sdk/helpers/beta/mcp");
		const client = await official();
		const { tools } = await client.listTools();
		const runner = new Anthropic({ apiKey, baseURL: url, maxRetries: 0 }).beta.messages.toolRunner({
			model: "claude-opus-4-6",
			max_tokens: 1024,
			max_iterations: most,
			stream: true,
			thread: false, // each request has all messages
			tools: mcpTools(tools, client),
			messages: [{ role: "user", content: prompt }],
		});
		for await (const stream of runner) for await (const _ of stream);
		await client.close();
	},
};

try {
	if (library === undefined) console.log(Object.keys(libraries).join("\n"));
	while (rest.length > 0) {
		const end = [...rest, "next"].indexOf("next");
		[url, command, ...args] = rest.splice(0, end);
		rest.shift();
		await libraries[library]();
	}
	process.exit(0);
} catch (err) {
	console.error(err.stack);
	process.exit(1);
}
