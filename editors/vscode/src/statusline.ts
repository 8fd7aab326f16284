import { oneLine } from "./oneline";
import type { ListeningParams } from "./protocol";

/** What the server is doing, as far as the user cares. */
export type ServerState = "starting" | "running" | "waiting" | "stopped";

/** Situation is what the item in the status bar shows. */
export interface Situation {
  state: ServerState;
  /** What the server last reported about agents; empty while no server runs. */
  listening: ListeningParams;
  paused: boolean;
  /** The names of the documents that agents have edited and that are not saved. */
  unsaved: readonly string[];
}

/** A reason with more characters is shortened. */
const longestReason = 300;

/** statusText is the text of the item: an icon, how many agents are connected and how many files are unsaved. */
export function statusText({ state, listening, paused, unsaved }: Situation): string {
  const agents = listening.agents?.length ?? 0;
  const counts = [
    ...(agents > 0 ? [`${agents} ${agents === 1 ? "agent" : "agents"}`] : []),
    ...(unsaved.length > 0 ? [`${unsaved.length} unsaved`] : []),
  ];
  return `${icon(state, listening, paused)} patchls${counts.length > 0 ? `: ${counts.join(", ")}` : ""}`;
}

/** statusTooltip is the whole situation, in lines. */
export function statusTooltip({ state, listening, paused, unsaved }: Situation): string {
  return [
    ...(state === "running" ? access(listening, paused) : [words[state]]),
    ...(unsaved.length > 0 ? ["Edited by agents, and not saved:", ...unsaved.map((name) => oneLine(name))] : []),
  ].join("\n");
}

/** Descriptions of the states in which agents can reach no server. */
const words: Record<Exclude<ServerState, "running">, string> = {
  starting: "The server is starting.",
  waiting: "The server ended and is started again.",
  stopped: "The server does not run: agents cannot edit in this window. Click to restart it.",
};

function icon(state: ServerState, { socket }: ListeningParams, paused: boolean): string {
  switch (state) {
    case "starting":
    case "waiting":
      return "$(loading~spin)";
    case "stopped":
      return "$(error)";
    case "running":
      return socket === undefined ? "$(circle-slash)" : paused ? "$(debug-pause)" : "$(edit)";
  }
}

/** access says whether agents can connect, and which are connected. */
function access({ socket, agents = [], problem }: ListeningParams, paused: boolean): string[] {
  if (socket === undefined) {
    return [`Agents cannot connect to this window${reason(problem)}.`];
  }
  const names = agents.map((name) => oneLine(name)).join(", ");
  return [
    paused ? "Agents are paused in this window." : "Agents can edit in this window.",
    agents.length > 0 ? `${agents.length} connected: ${names}` : "None is connected.",
  ];
}

function reason(problem = ""): string {
  const named = problem.replace("agent_socket", "patchls.agentSocket"); // as the user finds it in VS Code's settings
  const text = oneLine(named, longestReason).replace(/\.$/, "");
  return text === "" ? "" : `: ${text}`;
}
